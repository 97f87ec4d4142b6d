#!/usr/bin/env python3
"""Two cached files read in sequence, overlapped and by two tasks on `uring`, in turn inside one process.

    benches/io/in_process.py --nikaia build/release/bin/nikaia [--repeats 40] [--scale 1.0]

A repeat is a process; a figure is nanoseconds a pair of the thread's own time, the lowest tenth of its chunks. Where a
process lies in memory moves it by more than what is compared, so the spread is that of processes."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

SIZES = ((5, 30), (4_096, 30), (65_536, 20), (262_144, 10))  # and pairs a chunk


def main(bench, options):
    program = bench.program("pairs", (HERE / "io/pairs.nika").read_text())
    emitted = next((program.parent.parent / "cache/emitted").glob("*/pairs.main.cc")).parent
    root = bench.nikaia.parent.parent
    made = bench.folder / "in_process"
    shutil.copy(HERE / "io/in_process.cc", emitted)
    run(["g++", "-std=c++20", "-O3", "-I", root / "include", "-I", emitted, "-o", made, emitted / "in_process.cc",
         root / "lib/libnikaia-rt.a", "-static-libstdc++", "-static-libgcc", "-ldl", "-lpthread"])
    env = dict(bench.environment("uring"), NIKAIA_BACKEND_PATH=str(root / "lib/nikaia/backends"))
    rows = []
    for size, pairs in SIZES:
        files = [bench.file(f"{name}{size}", size) for name in "ab"]
        samples = []
        for _ in range(options.repeats):
            out = run([made, max(1, int(200 * options.scale)), pairs, *files], bench.folder, env).stdout
            samples.append({line.split()[0]: float(line.split()[1]) for line in out.splitlines()})
        got = {way: Figures(sample[way] for sample in samples) for way in samples[0]}
        rows.append([bytes_text(size), got["sequence"], *(minus(got[way], got["sequence"]).signed() for way in ("overlap", "tasks"))])
    table(["a file", "sequence, ns a pair", "overlap - sequence", "tasks - sequence"], rows)


start(main, __doc__, repeats=40)
