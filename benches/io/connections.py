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

HELD_MAX = 10_000  # fewer where the limit of descriptors does not allow both ends of so many
READS = 400_000


def main(bench, options):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = HELD_MAX if hard == resource.RLIM_INFINITY else min(HELD_MAX, (hard - 100) // 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * most + 100, hard))
    widths = (0, most // 10, most)
    program = bench.program("connections", (HERE / "io/connections.nika").read_text())
    path = bench.file("file", 4_096)
    count = max(1, int(READS * options.scale))
    rows, lines = [], {}
    for method in METHODS:
        env = bench.environment(method, 'cleanup-deadline = "0"\n')

        def read_us(held):
            return lambda: (seconds([program, held, count, path], env=env) -
                            seconds([program, held, 0, path], env=env)) / count * 1e6

        got = in_turn(options.repeats, {held: read_us(held) for held in widths})
        lines[method] = [got[held] for held in widths]
        for held in widths:
            rows.append([method, f"{held:,}", got[held], over(got[held], got[0])])
    table(["method", "connections", "µs a read", "of the read alone"], rows)
    plot(bench.plots / "connections.svg", "A read beside idle connections", "µs a read", [f"{held:,}" for held in widths], lines)


start(main, __doc__)
