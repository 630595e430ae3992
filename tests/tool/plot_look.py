"""Looks at a plot with eyes of its own: reads axes and curves back from an SVG file, colours from a PNG file.

usage: plot_look.py CONDITION, a Python expression over the functions below; exit 0 when it holds."""
import csv, math, re, struct, sys, xml.dom.minidom, zlib


def rows_of(path):
    lines = list(csv.reader(open(path)))
    return {h: [float(r[i]) for r in lines[1:]] for i, h in enumerate(lines[0])}


def number(text):
    return float(text.replace('\u2212', '-'))


class Axis:
    """Value of a pixel, from where ticks stand and what they say."""

    def __init__(self, ticks, logarithmic, scale=1.0):
        assert len(ticks) >= 2, ticks
        self.log = math.log10 if logarithmic else (lambda v: v * scale)
        (p0, v0), (p1, v1) = ticks[0], ticks[-1]
        self.slope = (self.log(v1) - self.log(v0)) / (p1 - p0)
        self.p0, self.v0 = p0, self.log(v0)
        for p, v in ticks:  # ticks stand where they say
            assert abs(self.pixel(v * scale if not logarithmic else v) - p) < 0.06, (ticks, p, v)

    def pixel(self, value):
        v = math.log10(value) if self.log is math.log10 else value
        return self.p0 + (v - self.v0) / self.slope


class Plot:
    def __init__(self, path, log_x=False, log_y=False):
        doc = xml.dom.minidom.parse(path)
        text = [(t.getAttribute('class'), t.getAttribute('x'), t.getAttribute('y'), t.firstChild.data if t.firstChild else '',
                 t.getAttribute('transform')) for t in doc.getElementsByTagName('text')]
        paths = [(p.getAttribute('class'), p.getAttribute('data-name'), p.getAttribute('d'), p)
                 for p in doc.getElementsByTagName('path')]
        self.frames = sorted(self.box(d) for c, n, d, p in paths if c == 'frame')
        self.frames.sort(key=lambda f: f[1])
        self.x_label = [t for c, x, y, t, tr in text if c == 'axis'][0]
        x_ticks = sorted((float(x), number(t)) for c, x, y, t, tr in text if c == 'tick-x')
        scale = re.search(r'\u00d71e(-?\d+)', self.x_label)
        self.x = Axis(x_ticks, log_x, 10.0 ** int(scale.group(1)) if scale else 1.0)
        self.legend = [t for c, x, y, t, tr in text if c == 'legend']
        self.units, self.y = [], []
        for left, top, right, bottom in self.frames:
            ticks = sorted((float(y) - 4.0, number(t)) for c, x, y, t, tr in text
                           if c == 'tick-y' and top - 1 <= float(y) - 4.0 <= bottom + 1)
            note = [t for c, x, y, t, tr in text if c == 'note' and top - 40 < float(y) < top]
            scale = 10.0 ** int(re.search(r'1e(-?\d+)', note[0]).group(1)) if note and '1e' in note[0] else 1.0
            self.y.append(Axis(ticks, log_y, scale))
            middle = 0.5 * (top + bottom)
            unit = [t for c, x, y, t, tr in text if c == 'unit' and abs(float(re.findall(r'[-\d.]+', tr)[1]) - middle) < 1]
            self.units.append(unit[0] if unit else '')
        self.curves = {n: self.points(d) for c, n, d, p in paths if c == 'series'}
        self.bands = {n: self.points(d) for c, n, d, p in paths if c == 'band'}
        self.marks = [(n, self.points(d), p.getAttribute('stroke') or p.getAttribute('fill'))
                      for c, n, d, p in paths if c == 'mark']

    @staticmethod
    def points(d):
        return [(float(a), float(b)) for a, b in re.findall(r'[ML]\s*(-?[\d.]+) (-?[\d.]+)', d)]

    @classmethod
    def box(cls, d):
        xs, ys = zip(*cls.points(d))
        return min(xs), min(ys), max(xs), max(ys)

    def panel(self, name):
        ys = [p[1] for p in self.curves[name]]
        return [i for i, f in enumerate(self.frames) if f[1] - 0.01 <= min(ys) and max(ys) <= f[3] + 0.01][0]

    def follows(self, name, xs, ys, tolerance=0.02):
        """Every point of the curve is a row, and no row is further from the curve's column than the column is high."""
        axis = self.y[self.panel(name)]
        rows = [(self.x.pixel(x), axis.pixel(y)) for x, y in zip(xs, ys) if not (math.isnan(x) or math.isnan(y))]
        near = {}
        for x, y in rows:
            near.setdefault(round(x), []).append((x, y))
        off = max(min(max(abs(x - a), abs(y - b)) for k in (-1, 0, 1) for a, b in near.get(round(x) + k, [(1e9, 1e9)]))
                  for x, y in self.curves[name])
        low, high = min(y for x, y in rows), max(y for x, y in rows)
        drawn = [y for x, y in self.curves[name]]
        return off < tolerance and abs(min(drawn) - low) < tolerance and abs(max(drawn) - high) < tolerance


def png(path):
    """Width, height, and rows of RGB."""
    data = open(path, 'rb').read()
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, body = 8, b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + chunk) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
        if kind == b'IHDR':
            width, height, depth, colour = struct.unpack('>IIBB', chunk[:10])
        if kind == b'IDAT':
            body += chunk
        at += 12 + n
    assert depth == 8 and colour == 2
    raw, stride, rows, before = zlib.decompress(body), 3 * width, [], bytearray(3 * width)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b = (line[i - 3] if i >= 3 else 0), before[i]
            c = before[i - 3] if i >= 3 else 0
            p = a + b - c
            pick = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            line[i] = (line[i] + (0, a, b, (a + b) // 2, pick)[kind]) & 255
        rows.append(line)
        before = line
    return width, height, rows


def painted(path, points, colour):
    """The share of points within a pixel of which the picture has nearly this colour."""
    width, height, rows = png(path)
    want = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    hit = 0
    for x, y in points:
        hit += any(all(abs(rows[j][3 * i + k] - want[k]) < 90 for k in range(3))
                   for j in range(max(int(y) - 1, 0), min(int(y) + 2, height))
                   for i in range(max(int(x) - 1, 0), min(int(x) + 2, width)))
    return hit / len(points)


if __name__ == '__main__':
    sys.exit(0 if eval(sys.argv[1]) else 1)
