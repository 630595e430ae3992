#!/usr/bin/env python3
"""Runs every driver on every case, each pinned to one core, in rounds so that all meet the same weather, and writes what
they say, one line of JSON each: run.py DRIVERS RESULTS [--quick] [--core N]. Of a setting the shortest time counts; a finer
one is not tried once a coarser one of the same mode took longer than the limit."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import cases

HERE = pathlib.Path(__file__).resolve().parent


def processor_time(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def call(drivers, core, limit, engine, problem, size, mode, parameter):
    """What a driver says, as a dictionary; None when it cannot or did not get there in time."""
    program = drivers / f"peer-{engine}"

    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    command = [str(program), problem, str(size), mode, parameter, str(HERE / "references")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
                          preexec_fn=lambda: os.sched_setaffinity(0, {core})) as running:
        # by looking, not by RLIMIT_CPU: with that some kernels count processor time in ticks of 10 ms
        while True:
            try:
                said = running.communicate(timeout=0.5)[0]
                break
            except subprocess.TimeoutExpired:
                if processor_time(running.pid) > limit:
                    running.kill()
    lines = [line for line in said.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if running.returncode == 0 and lines else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drivers", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    rounds, limit = 1 if options.quick else 2, cases.limit(options.quick)
    engines = [e for e in cases.ENGINES if (options.drivers / f"peer-{e}").exists()]
    given_up = set()  # what failed or took too long is not tried again

    with options.results.open("w", encoding="utf-8") as results:
        def measure(*case, longest=limit):
            if case in given_up:
                return None
            said = call(options.drivers, options.core, longest, *case)
            if said is None:
                given_up.add(case)
            else:
                results.write(json.dumps(said) + "\n")
                results.flush()
            return said

        for turn in range(3):
            print(f"right-hand sides, round {turn + 1} of 3", file=sys.stderr)
            for problem, size in cases.RIGHT_SIDES:
                for engine in engines:
                    for mode in cases.RIGHT_SIDE_MODES.get(engine, []):
                        if mode == "rhs" or problem in cases.PLANAR:
                            measure(engine, problem, size, mode, "0", longest=6)  # some build slowly
        for turn in range(rounds):
            for problem, size in cases.RUNS:
                print(f"round {turn + 1} of {rounds}: {cases.title(problem, size)}", file=sys.stderr)
                for engine, mode, parameters in cases.settings(problem, options.quick):
                    if engine not in engines:
                        continue
                    for parameter in parameters:
                        said = measure(engine, problem, size, mode, parameter)
                        if said is None and turn == 0 and parameter != parameters[0]:
                            break
                        if said is not None and said["seconds"] > limit / 2:
                            break


if __name__ == "__main__":
    main()
