#!/usr/bin/env python3
"""One program built with ordering strict and with ordering effects: what the compiler's own pairs cost and save.

    benches/io/lowered.py --nikaia build/release/bin/nikaia [--repeats 9] [--scale 1.0] [--plots DIR]

The two builds come from one source; that the emitted C++ differs is checked, so that two equal programs cannot pass for a
result. Microseconds a pair over whole processes of 200,000 pairs; the difference is taken repeat by repeat."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

PAIRS = 200_000
FILE_BYTES = 5


def pairs_in(program):
    emitted = next((program.parent.parent / "cache/emitted").glob("*/*.main.cc"))
    return emitted.read_text().count("nikaia::rt::pair")


def main(bench, options):
    source = (HERE / "io/lowered.nika").read_text()
    programs = {ordering: bench.program(ordering, source, f'[build]\nordering = "{ordering}"\n')
                for ordering in ("strict", "effects")}
    found = {ordering: pairs_in(program) for ordering, program in programs.items()}
    print(f"pairs in the emitted C++: strict {found['strict']}, effects {found['effects']}")
    if found != {"strict": 0, "effects": 1}:
        sys.exit("the two builds do not differ as they should")
    files = [bench.file(name, FILE_BYTES) for name in "ab"]
    count = max(1, int(PAIRS * options.scale))
    rows = []
    lines = {"effects - strict": []}
    methods = bench.methods(programs["strict"], "0")
    for method, env in methods.items():
        got = in_turn(options.repeats, {
            ordering: lambda program=program: seconds([program, count, *files], env=env) / count * 1e6
            for ordering, program in programs.items()})
        difference = minus(got["effects"], got["strict"])
        lines["effects - strict"].append(difference)
        rows.append([method, got["strict"], difference.signed()])
    table(["method", "strict, µs a pair", "effects - strict"], rows)
    plot(bench.plots / "lowered.svg", "Pairs the compiler made, against written order", "µs a pair", list(methods), lines)


start(main, __doc__)
