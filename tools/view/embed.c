/* Runs at build time: the page's own files as strings of C. usage: embed OUT.c NAME FILE... [-- NAME FILE...] */
#include <stdio.h>
#include <string.h>

/* Bytes as characters: compilers have limits on strings, not on arrays. */
static int put_file(FILE *out, const char *path) {
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        return 1;
    }
    int byte;
    for (int n = 0; (byte = fgetc(in)) != EOF; n++) fprintf(out, "'\\%o',%s", (unsigned)byte, n % 32 == 31 ? "\n" : "");
    int failed = ferror(in);
    fclose(in);
    return failed;
}

int main(int count, char **words) {
    if (count < 4) return 2;
    FILE *out = fopen(words[1], "w");
    if (out == NULL) {
        perror(words[1]);
        return 1;
    }
    int failed = 0;
    fputs("/* Made by tools/view/embed.c. */\n#include \"view/embedded.h\"\n", out);
    for (int i = 2; i < count && !failed; i++) {
        fprintf(out, "const char %s[] = {\n", words[i++]);
        for (; i < count && strcmp(words[i], "--") != 0; i++) failed = put_file(out, words[i]) || failed;
        fputs("0};\n", out);
    }
    return fclose(out) != 0 || failed;
}
