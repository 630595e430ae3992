#!/usr/bin/env python3
"""The report: report.py DRIVERS RESULTS PAGE.md [--quick]. Reads what run.py has written, writes the page and two pictures
beside it (peers_rhs.svg, peers_error.svg). Ratios are the peer's time over Cardan's: above 1 Cardan is faster."""
import argparse
import collections
import json
import pathlib
import re
import subprocess

import cases
import pictures

HERE = pathlib.Path(__file__).resolve().parent


class Results:
    """Shortest times: by (engine, problem, size, mode, parameter)."""

    def __init__(self, path):
        self.best = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            said = json.loads(line)
            key = (said["engine"], said["problem"], said["size"], said["mode"], said["parameter"])
            if key not in self.best or said["seconds"] < self.best[key]["seconds"]:
                self.best[key] = said

    def right_side(self, engine, problem, size, mode="rhs"):
        return self.best.get((engine, problem, size, mode, "0"))

    def runs(self, engine, problem, size, space):
        """All runs of an engine but its defaults; of Cardan those of a planar mechanism in space, or the others."""
        for (e, p, n, mode, _), said in self.best.items():
            if (e, p, n) != (engine, problem, size) or mode.startswith("rhs") or mode == "default":
                continue
            if said["error"] is not None and (engine != "cardan" or ("/space" in mode) == space):
                yield said

    def fastest(self, engine, problem, size, target, space=False):
        """The shortest run with at most this error, or None."""
        there = [r for r in self.runs(engine, problem, size, space) if r["error"] <= float(target)]
        return min(there, key=lambda r: r["seconds"]) if there else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def ratio(peer, own):
    return f"{peer['seconds'] / own['seconds']:.2g}" if peer and own else "-"


def time(said):
    seconds = said["seconds"]
    return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def lines_of(problem):
    """A planar chain counts twice: Cardan in the plane, and in space as the others do."""
    return [False, True] if problem == "chain" else [False]


def caption(problem, size, space):
    return cases.title(problem, size) + (", in space" if space else "")


def right_sides(results, peers):
    rows, ratios = [], collections.OrderedDict()
    for problem, size in cases.RIGHT_SIDES:
        for space in lines_of(problem):
            own = results.right_side("cardan", problem, size, "rhs/space" if space else "rhs")
            if own is None:
                continue
            row = []
            for peer in peers:
                said = results.right_side(peer, problem, size)
                soft = said is not None and peer == "mujoco" and problem not in cases.TREES
                row.append(ratio(said, own) + (" (soft)" if soft else ""))
                if said is not None and not soft:
                    ratios.setdefault(caption(problem, size, space), {})[peer] = said["seconds"] / own["seconds"]
            if any(cell != "-" for cell in row):
                rows.append([caption(problem, size, space), time(own)] + row)
    return table(["mechanism", "Cardan"] + [cases.NAMES[p] for p in peers], rows), ratios


def to_errors(results, peers):
    """The best peer at each target."""
    rows = []
    for problem, size in cases.RUNS:
        for space in lines_of(problem):
            row = [caption(problem, size, space)]
            for target in cases.TARGETS:
                own = results.fastest("cardan", problem, size, target, space)
                there = [(results.fastest(p, problem, size, target), p) for p in peers]
                there = sorted(((r["seconds"], p, r) for r, p in there if r), key=lambda x: x[:2])
                if own is None:
                    row.append("Cardan not in time")
                elif not there:
                    row.append(f"no peer in time (Cardan {time(own)})")
                else:
                    row.append(f"{ratio(there[0][2], own)} ({cases.NAMES[there[0][1]]})")
            rows.append(row)
    return table(["mechanism"] + [f"{t} m" for t in cases.TARGETS], rows)


def every_peer(results, engines):
    rows = []
    for problem, size in cases.RUNS:
        for engine in engines:
            for space in lines_of(problem) if engine == "cardan" else [False]:
                cells = []
                for target in cases.TARGETS:
                    said = results.fastest(engine, problem, size, target, space)
                    cells.append(f"{time(said)} ({said['mode']} {said['parameter']})" if said else "-")
                name = cases.NAMES[engine] + (", in space" if space else "")
                if any(cell != "-" for cell in cells):
                    rows.append([cases.title(problem, size), name] + cells)
    return table(["mechanism", "engine"] + [f"{t} m" for t in cases.TARGETS], rows)


def defaults(results, engines):
    rows = []
    for problem, size in cases.RUNS:
        row = [cases.title(problem, size)]
        for engine in engines:
            said = results.best.get((engine, problem, size, "default", "0"))
            row.append(f"{time(said)}, {said['error']:.0e} m" if said and said["error"] is not None else "-")
        rows.append(row)
    return table(["mechanism"] + [cases.NAMES[e] for e in engines], rows)


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine(drivers, engines):
    model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    versions = [f"{cases.NAMES[e]} {output(str(drivers / f'peer-{e}'), '--version')}".strip() for e in engines
                if e != "by_hand"]
    return [f"processor: {model[1] if model else 'unknown'}, one core, pinned",
            f"compiler: {output('cc', '--version').splitlines()[0]}, release (-O3, baseline instructions)",
            "versions: " + ", ".join(versions) + "; peers as Debian builds them",
            f"Cardan as of commit {output('git', 'log', '-1', '--format=%h', '--', '../../src', '../../include')}, the last "
            "that changed the library"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drivers", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    results = Results(options.results)
    drivers = options.drivers.resolve()
    engines = [e for e in cases.ENGINES if (drivers / f"peer-{e}").exists()]
    peers = [e for e in engines if e not in ("cardan", "by_hand")]
    text, ratios = right_sides(results, [p for p in peers if p in cases.RIGHT_SIDE_MODES] + ["by_hand"])
    parts = {"RIGHT_SIDES": text, "TO_ERRORS": to_errors(results, peers), "EVERY_PEER": every_peer(results, engines),
             "DEFAULTS": defaults(results, [e for e in engines if e not in ("by_hand", "sundials")]),
             "MACHINE": "".join(f"- {line}\n" for line in machine(drivers, engines)),
             "ROUNDS": "one round, every third setting (`tools/bench-peers --quick`)" if options.quick else "two rounds",
             "LIMIT": str(cases.limit(options.quick))}
    page = (HERE / "page.md.in").read_text(encoding="utf-8")
    for name, part in parts.items():
        page = page.replace(f"@{name}@", part.rstrip("\n"))
    options.page.write_text(page, encoding="utf-8")
    pictures.right_sides(options.page.parent / "peers_rhs.svg", ratios)
    pictures.errors(options.page.parent / "peers_error.svg", results, engines)


if __name__ == "__main__":
    main()
