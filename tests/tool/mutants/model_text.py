"""Model files read a second time, without the library: as much of YAML as they use, and their expressions.

Scalars stay texts; Numbers.number() makes numbers of them. What this reader does not understand raises Unreadable, and
the mutant is counted as not checked rather than passed."""
import math
import re


class Unreadable(Exception):
    pass


class Reader:
    """Block mappings and lists by indentation, flow mappings and lists in brackets, quoted and plain scalars."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self, lines=True):
        """Blanks and comments; with lines also line ends."""
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == '#' and (self.at == 0 or self.text[self.at - 1] in ' \t\n'):
                while self.at < len(self.text) and self.text[self.at] != '\n':
                    self.at += 1
            elif c in ' \t\r' or (lines and c == '\n'):
                self.at += 1
            else:
                return

    def column(self):
        return self.at - (self.text.rfind('\n', 0, self.at) + 1)

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ''

    def block(self, above):
        """A mapping, list or scalar whose lines are indented by more than `above`."""
        self.skip()
        column = self.column()
        if self.peek() == '' or column <= above:
            return ''
        if self.text.startswith('- ', self.at):
            return self.block_list(column)
        if not re.compile(r'[^\s{}\[\],#"\':]+\s*:(\s|$)').match(self.text, self.at):
            return self.value('')
        found = {}
        while self.peek() != '' and self.column() == column:
            key = self.key()
            self.skip(lines=False)
            found[key] = self.block(column) if self.peek() in ('', '\n') else self.value('')
            self.skip()
        if self.peek() != '' and self.column() > column:
            raise Unreadable('indentation')
        return found

    def block_list(self, column):
        found = []
        while self.text.startswith('- ', self.at) and self.column() == column:
            self.at += 2
            found.append(self.value(''))
            self.skip()
        return found

    def key(self):
        match = re.compile(r'\s*("[^"\n]*"|\'[^\'\n]*\'|[^\s{}\[\],:#]+)\s*:(?=[\s\[{"\']|$)').match(self.text, self.at)
        if match is None:
            raise Unreadable('no key at %d' % self.at)
        self.at = match.end()
        return match.group(1).strip('"\'')

    def value(self, ends):
        """A value that stands here; ends: what closes the flow collection around it."""
        self.skip(lines=ends != '')
        c = self.peek()
        if c == '{':
            return self.flow_map()
        if c == '[':
            return self.flow_list()
        if c in ('"', "'"):
            end = self.text.index(c, self.at + 1)
            found, self.at = self.text[self.at + 1:end], end + 1
            return found
        stop = re.compile(r'\n|\s#|$' if ends == '' else r'[,{}\[\]]|:\s|\s#|$').search(self.text, self.at)
        found, self.at = self.text[self.at:stop.start()], stop.start()
        if ends == '' and re.search(r':\s|:$', found):
            raise Unreadable('a key in a plain scalar')
        return ' '.join(found.split())

    def flow_list(self):
        found, self.at = [], self.at + 1
        while True:
            self.skip()
            if self.peek() == ']':
                self.at += 1
                return found
            found.append(self.value(']'))
            self.separator(']')

    def flow_map(self):
        found, self.at = {}, self.at + 1
        while True:
            self.skip()
            if self.peek() == '}':
                self.at += 1
                return found
            key = self.key()
            found[key] = self.value('}')
            self.separator('}')

    def separator(self, close):
        self.skip()
        if self.peek() == ',':
            self.at += 1
        elif self.peek() != close:
            raise Unreadable('no comma at %d' % self.at)


def read(text):
    reader = Reader(text)
    found = reader.block(-1)
    reader.skip()
    if reader.peek() != '' or not isinstance(found, dict):
        raise Unreadable('something is left over')
    return found


def table(x, *points):
    xs, ys = points[0::2], points[1::2]
    if x < xs[0]:
        return ys[0]
    for x0, y0, x1, y1 in zip(xs, ys, xs[1:], ys[1:]):
        if x < x1:
            return y0 + (x - x0) * (y1 - y0) / (x1 - x0)
    return ys[-1]


NAMES = {name: getattr(math, name) for name in
         ('sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'sqrt', 'pi')}
NAMES.update(abs=abs, min=min, max=max, table=table, floor=lambda x: float(math.floor(x)),
             sign=lambda x: float((x > 0) - (x < 0)), step=lambda x: float(x >= 0))
TOKEN = re.compile(r'\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|<=|>=|==|!=|[-+*/^(),<>])')


def evaluate(text, names):
    """The value of an expression: its tokens are those of Python but for the power, `if` and whole numbers."""
    words, at = [], 0
    text = str(text).strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise Unreadable('expression %r' % text)
        word, at = match.group(1), match.end()
        if word[0].isdigit() or word[0] == '.':
            word = repr(float(word))
        words.append({'^': '**', 'if': 'choose'}.get(word, word))
    scope = dict(NAMES, choose=lambda c, a, b: a if c else b, inf=math.inf, **names)
    try:
        return float(eval(' '.join(words), {'__builtins__': {}}, scope))
    except (ArithmeticError, ValueError, TypeError, NameError, SyntaxError) as fault:
        raise Unreadable('%s: %s' % (text, fault)) from fault
