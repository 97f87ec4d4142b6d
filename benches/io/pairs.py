#!/usr/bin/env python3
"""Two cached files read in sequence, by two tasks, and overlapped, on each I/O method, beside the same in C.

    benches/io/pairs.py --nikaia build/release/bin/nikaia [--repeats 9] [--scale 1.0] [--plots DIR]

A figure is microseconds a pair: the time of a whole process, less that of the same process with nothing to read,
divided by its pairs. Differences are taken repeat by repeat."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

SIZES = ((5, 20_000), (4_096, 20_000), (65_536, 20_000), (262_144, 4_000), (1_048_576, 1_000))
WAYS = ("sequence", "tasks", "overlap")


def main(bench, options):
    nikaia = bench.program("pairs", (HERE / "io/pairs.nika").read_text())
    plain = bench.c_program("plain_reads")
    ring = bench.c_program("ring_reads", "-luring")
    methods = bench.methods(nikaia, "sequence", "0")
    differences = {f"{method}: {way}": [] for method in methods for way in WAYS[1:]}
    rows = []
    for size, full_count in SIZES:
        files = [bench.file(f"{name}{size}", size) for name in "ab"]
        count = max(1, int(full_count * options.scale))

        def pairs(command, env=None):
            return lambda: (seconds([*command(count), *files], env=env) - seconds([*command(0), *files], env=env)) / count * 1e6

        measures = {"C": pairs(lambda n: [plain, n]), "liburing": pairs(lambda n: [ring, n])}
        for method, env in methods.items():
            for way in WAYS:
                measures[method, way] = pairs(lambda n, way=way: [nikaia, way, n], env)
        got = in_turn(options.repeats, measures)
        rows.append([bytes_text(size), "C", got["C"], "liburing " + minus(got["liburing"], got["C"]).signed(), ""])
        for method in methods:
            base = got[method, "sequence"]
            tasks, overlap = (minus(got[method, way], base) for way in WAYS[1:])
            rows.append(["", method, base, tasks.signed(), overlap.signed()])
            differences[f"{method}: tasks"].append(tasks)
            differences[f"{method}: overlap"].append(overlap)
    table(["a file", "method", "sequence, µs a pair", "tasks - sequence", "overlap - sequence"], rows)
    plot(bench.plots / "pairs.svg", "Two cached files: what it costs to read them together",
         "µs a pair, minus the same two in sequence", [bytes_text(size) for size, _ in SIZES], differences)


start(main, __doc__)
