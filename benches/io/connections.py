#!/usr/bin/env python3
"""A file read beside ten thousand idle connections, against the same read without them, on each I/O method.

    benches/io/connections.py --nikaia build/release/bin/nikaia [--repeats 9] [--scale 1.0] [--plots DIR]

The connections are held by one thread, each with a task that waits for bytes that never come; the reads are made by a task.
Microseconds a read: the time of a whole process, less that of the same with as many connections and nothing to read. Budget:
at most 1.1 of the read alone."""
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

HELD = (0, 1_000, 10_000)
READS = 40_000


def main(bench, options):
    needed = 2 * max(HELD) + 100
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(needed, hard)))
    except ValueError:
        sys.exit(f"{max(HELD)} connections need {needed} descriptors; the limit here is {hard}")
    program = bench.program("connections", (HERE / "io/connections.nika").read_text())
    path = bench.file("file", 4_096)
    count = max(1, int(READS * options.scale))
    rows, lines = [], {}
    for method in METHODS:
        env = bench.environment(method, 'cleanup-deadline = "0"\n')

        def read_us(held):
            return lambda: (seconds([program, held, count, path], env=env) -
                            seconds([program, held, 0, path], env=env)) / count * 1e6

        got = in_turn(options.repeats, {held: read_us(held) for held in HELD})
        lines[method] = [got[held] for held in HELD]
        for held in HELD:
            rows.append([method, f"{held:,}", got[held], over(got[held], got[0])])
    table(["method", "connections", "µs a read", "of the read alone"], rows)
    plot(bench.plots / "connections.svg", "A read beside idle connections", "µs a read", [f"{held:,}" for held in HELD], lines)


start(main, __doc__)
