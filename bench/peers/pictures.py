"""The two pictures of the report, as plain SVG."""
import math

import cases

COLOURS = {"cardan": "#c0392b", "mujoco": "#2471a3", "bullet": "#1e8449", "dart": "#af601a", "simbody": "#7d3c98",
           "sundials": "#148f77", "ode": "#7f8c8d", "by_hand": "#1c2833"}
SHOWN = [("spatial_chain", 8), ("spatial_chain", 64), ("chain", 64), ("slider_crank", 1), ("equal_slider_crank", 1),
         ("four_bars", 40), ("bricard", 1), ("net", 5), ("vehicle", 1)]


class Drawing:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def add(self, text):
        self.parts.append(text)

    def line(self, x1, y1, x2, y2, colour="#cccccc", width=1.0):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                 f'stroke-width="{width}"/>')

    def text(self, x, y, words, anchor="start", size=11, colour="#222222", weight="normal"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
                 f'font-weight="{weight}">{words}</text>')

    def dot(self, x, y, colour, r=3.0):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>')

    def write(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">')
        ground = f'<rect width="{self.width}" height="{self.height}" fill="white"/>'
        path.write_text("\n".join([head, ground] + self.parts + ["</svg>"]) + "\n", encoding="utf-8")


def legend(drawing, engines, x, y, step):
    for i, engine in enumerate(engines):
        drawing.dot(x + i * step, y - 4, COLOURS[engine], 4)
        drawing.text(x + i * step + 9, y, cases.NAMES[engine])


def right_sides(path, ratios):
    """One line a mechanism, a dot for each peer at its time over Cardan's."""
    left, top, row, width = 200, 66, 24, 860
    values = [v for peers in ratios.values() for v in peers.values()]
    low, high = math.floor(math.log10(min(values + [0.5]))), math.ceil(math.log10(max(values + [2])))
    drawing = Drawing(width, top + row * len(ratios) + 34)
    def place(ratio): return left + (width - left - 30) * (math.log10(ratio) - low) / (high - low)
    drawing.text(left, 20, "one right-hand side: the peer's time over Cardan's (right of the line Cardan is faster)",
                 size=13)
    legend(drawing, [e for e in cases.ENGINES if any(e in peers for peers in ratios.values())], left, 44, 96)
    bottom = top + row * len(ratios)
    for decade in range(low, high + 1):
        for digit in (1, 2, 5) if decade < high else (1,):
            ratio = digit * 10.0 ** decade
            one = decade == 0 and digit == 1
            drawing.line(place(ratio), top - 8, place(ratio), bottom, "#c0392b" if one else "#e3e3e3", 1.6 if one else 1)
            drawing.text(place(ratio), bottom + 16, f"{ratio:g}", "middle", 10)
    for i, (name, peers) in enumerate(ratios.items()):
        y = top + row * i + row / 2
        drawing.line(left, y, width - 30, y, "#f0f0f0")
        drawing.text(left - 10, y + 4, name, "end")
        for engine, ratio in peers.items():
            drawing.dot(place(ratio), y, COLOURS[engine], 5)
    drawing.write(path)


def front(runs):
    """Of all runs those that no other beats in both time and error."""
    best, kept = math.inf, []
    for said in sorted(runs, key=lambda r: r["seconds"]):
        if said["error"] < best:
            best = said["error"]
            kept.append(said)
    return kept


def panel(drawing, results, engines, problem, size, x, y, width, height):
    runs = {e: front(list(results.runs(e, problem, size, False))) for e in engines}
    seconds = [r["seconds"] for some in runs.values() for r in some]
    drawing.text(x + width / 2, y - 8, cases.title(problem, size), "middle", 12, weight="bold")
    drawing.add(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="#999999"/>')
    if not seconds:
        return
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    top, bottom = 0, -12  # exponents of the error
    def across(s): return x + width * (math.log10(s) - low) / (high - low)
    def down(e): return y + height * (top - max(bottom, min(top, math.log10(e)))) / (top - bottom)
    for exponent in range(bottom, top + 1, 3):
        drawing.line(x, down(10.0 ** exponent), x + width, down(10.0 ** exponent), "#e3e3e3")
        drawing.text(x - 5, down(10.0 ** exponent) + 4, f"1e{exponent}", "end", 10)
    for exponent in range(low, high + 1):
        drawing.line(across(10.0 ** exponent), y, across(10.0 ** exponent), y + height, "#e3e3e3")
        drawing.text(across(10.0 ** exponent), y + height + 14, f"1e{exponent}", "middle", 10)
    for engine, some in runs.items():
        points = [(across(r["seconds"]), down(max(r["error"], 1e-15))) for r in some]
        if len(points) > 1:
            drawing.add('<polyline fill="none" stroke="{}" stroke-width="{}" points="{}"/>'.format(
                COLOURS[engine], 2.4 if engine == "cardan" else 1.4, " ".join(f"{a:.1f},{b:.1f}" for a, b in points)))
        for a, b in points:
            drawing.dot(a, b, COLOURS[engine], 3.4 if engine == "cardan" else 2.4)


def errors(path, results, engines):
    """Error at the end against time of the run, one panel a mechanism; lower left is better."""
    columns, width, height, gap_x, gap_y = 3, 240, 170, 62, 62
    rows = (len(SHOWN) + columns - 1) // columns
    drawing = Drawing(columns * (width + gap_x) + 20, rows * (height + gap_y) + 70)
    drawing.text(50, 20, "largest error over all link ends in m against time of the run in s; lower left is better",
                 size=13)
    legend(drawing, engines, 58, 44, 108)
    for i, (problem, size) in enumerate(SHOWN):
        panel(drawing, results, engines, problem, size, 55 + (i % columns) * (width + gap_x),
              82 + (i // columns) * (height + gap_y), width, height)
    drawing.write(path)
