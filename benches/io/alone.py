#!/usr/bin/env python3
"""What the runtime costs a program that never overlaps: instructions a read over the same program with plain calls.

    benches/io/alone.py --nikaia build/release/bin/nikaia [--plots DIR]

One small file is read again and again, three calls deep. The same emitted C++ is compiled twice: as it is, and with
`fs::read_to_string` replaced by plain blocking calls (plain_row.h). Instructions in user space under callgrind, which
do not depend on what else the machine does; so there are no repeats. Budget: at most 100 a read at 1,000 reads."""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

COUNTS = (100, 1_000)


def compiled(bench, name, source):
    root = bench.nikaia.parent.parent
    made = bench.folder / name
    text = bench.folder / f"{name}.cc"
    text.write_text(source)
    run(["g++", "-std=c++20", "-O3", "-I", root / "include", "-I", HERE / "io", "-o", made, text,
         root / "lib/libnikaia-rt.a", "-static-libstdc++", "-static-libgcc", "-ldl", "-lpthread"])
    return made


def main(bench, options):
    program = bench.program("alone", (HERE / "io/alone.nika").read_text())
    emitted = next((program.parent.parent / "cache/emitted").glob("*/alone.main.cc")).parent
    source = (emitted / "alone.main.cc").read_text()
    replaced = source.replace("nikaia::fs_read_to_string(", "plain::read_to_string(")
    if replaced == source:
        sys.exit("the emitted program does not call fs_read_to_string")
    variants = {"plain calls": compiled(bench, "plain", '#include "plain_row.h"\n' + replaced),
                "as lowered": compiled(bench, "lowered", '#include "plain_row.h"\n' + source)}
    env = dict(bench.environment("uring"), NIKAIA_BACKEND_PATH=str(bench.nikaia.parent.parent / "lib/nikaia/backends"))
    path = bench.file("small", 0)
    path.write_text("gates\n")

    def instructions(made, count):
        done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={bench.folder}/out", made, count, path],
                   bench.folder, env)
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))

    rows = []
    for count in COUNTS:
        got = {name: instructions(made, count) for name, made in variants.items()}
        extra = (got["as lowered"] - got["plain calls"]) / count
        rows.append([f"{count:,}", f"{got['plain calls']:,}", f"{got['as lowered']:,}", f"{extra:+.1f}"])
    table(["reads", "plain calls", "as lowered", "a read, over plain"], rows)


start(main, __doc__)
