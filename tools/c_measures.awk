# Measures C files as clang-format leaves them, for tools/lint; POSIX awk. A line of output a fact, parted by tabs:
#     lines      N FILE
#     asserts    N FILE                     calls of assert
#     function   LINES CYCLOMATIC FILE:LINE NAME
#     struct     FIELDS FILE:LINE NAME      pairs as 'double x, y' count as two
#     bare       FILE:LINE TEXT             a small number (1e-6) inside a function: it has no name and no reason
# The cyclomatic number is 1 + if + for + while + case + && + || + ?. usage: awk -f tools/c_measures.awk FILE...

# The line without comments, strings and characters; in_comment goes on from line to line.
function code_of(line,    out, at, two, one, rest) {
    out = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (at == 0) return out
            line = substr(line, at + 2)
            in_comment = 0
            continue
        }
        if (!match(line, /["']|\/[\/*]/)) return out line
        one = substr(line, RSTART, 1)
        two = substr(line, RSTART, 2)
        out = out substr(line, 1, RSTART - 1)
        rest = substr(line, RSTART + 1)
        if (two == "//") return out
        if (two == "/*") {
            in_comment = 1
            line = substr(rest, 2)
        } else if (one == "\"" ? match(rest, /^([^"\\]|\\.)*"/) : match(rest, /^([^'\\]|\\.)*'/)) {
            line = substr(rest, RLENGTH + 1)
            out = out "S"
        } else {
            return out
        }
    }
    return out
}

# How often the pattern stands in the text.
function times(text, pattern) {
    return gsub(pattern, "&", text)
}

function close_file() {
    if (file == "") return
    printf "lines\t%d\t%s\n", count, file
    printf "asserts\t%d\t%s\n", asserts, file
}

# What stands before a brace at the outermost level: a function, a struct with a name, or something else.
function open_outermost() {
    sub(/[ \t]+$/, "", head)
    is_function = head ~ /\)$/ && head !~ /=/
    is_struct = head ~ /struct [A-Za-z_0-9]+$/
    name = head
    if (is_function) sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    branches = 1
    fields = 0
}

function close_outermost() {
    if (is_function) printf "function\t%d\t%d\t%s:%d\t%s\n", count - head_line + 1, branches, file, head_line, name
    if (is_struct) printf "struct\t%d\t%s:%d\t%s\n", fields, file, head_line, name
    is_function = is_struct = 0
}

function walk(code,    at, c, piece) {
    while (match(code, /[{};]/)) {
        piece = substr(code, 1, RSTART - 1)
        c = substr(code, RSTART, 1)
        code = substr(code, RSTART + 1)
        if (depth == 0) {
            if (head == "" && piece ~ /[^ \t]/) head_line = count
            head = head " " piece
        } else if (depth == 1 && is_struct) {
            member = member piece
        }
        if (c == "{") {
            if (depth++ == 0) open_outermost()
        } else if (c == "}") {
            if (--depth == 0) close_outermost()
            if (depth == 0) head = ""
        } else if (depth == 0) {
            head = ""
        } else if (depth == 1 && is_struct) {
            gsub(/\([^()]*\)/, "", member)
            gsub(/\([^()]*\)/, "", member)
            fields += 1 + times(member, ",")
            member = ""
        }
    }
    if (depth == 0 && code ~ /[^ \t]/) {
        if (head ~ /^[ \t]*$/) head_line = count
        head = head " " code
    } else if (depth == 1 && is_struct) {
        member = member code
    }
}

FNR == 1 {
    close_file()
    file = FILENAME
    count = depth = asserts = in_comment = in_macro = is_function = is_struct = 0
    head = member = ""
}

{
    count = FNR
    code = code_of($0)
    if (in_macro || code ~ /^[ \t]*#/) {
        in_macro = $0 ~ /\\$/
        next
    }
    asserts += times(" " code, "[^A-Za-z_0-9]assert\\(")
    walk(code)
    if (!is_function || depth == 0) next
    padded = " " code " "
    branches += times(padded, "[^A-Za-z_0-9](if|for|while|case)[^A-Za-z_0-9]") + times(padded, "&&|[|][|]|[?]")
    if (padded ~ /[^A-Za-z_0-9.][0-9]+(\.[0-9]*)?e-[0-9]+/) printf "bare\t%s:%d\t%s\n", file, FNR, $0
}

END { close_file() }
