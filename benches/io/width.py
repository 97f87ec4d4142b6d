#!/usr/bin/env python3
"""Two to 64 cached 4 KiB files, overlapped against read in sequence, on each I/O method, beside the same in C.

    benches/io/width.py --nikaia build/release/bin/nikaia [--repeats 9] [--scale 1.0] [--plots DIR]

A figure is a whole process less the same with nothing to read, a round: microseconds in sequence, and what part of
that the overlapped round takes. Budget: eight files on `uring` at most 0.9."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

WIDTHS = (2, 4, 8, 16, 32, 64)
FILE_BYTES = 4_096
FILES_READ = 160_000


def source():
    """One function a width and way, since the branches of an `overlap` are written down."""
    parts = ["use std::cli\nuse std::fs\nuse std::text\n",
             "fn size(path: ref String) -> i64 throws { return fs::read(path, fs::Root::Anywhere).len() }\n"]
    arms = []
    for width in WIDTHS:
        names = [f"f{i}" for i in range(width)]
        reads = [f'size("{name}")' for name in names]
        total = " + ".join(names)
        lines = [f"    let {name} = {read}" for name, read in zip(names, reads)]
        parts.append("\n".join([f"fn sequence{width}() -> i64 throws {{", *lines, f"    return {total}", "}\n"]))
        lines = [f"        {read}" for read in reads]
        parts.append("\n".join([f"fn overlap{width}() -> i64 throws {{", f"    let ({', '.join(names)}) = overlap {{",
                                *lines, "    }", f"    return {total}", "}\n"]))
        arms += [f'            "{way}{width}" => {way}{width}()' for way in ("sequence", "overlap")]
    arms[-1] = arms[-1].replace(f'"overlap{WIDTHS[-1]}"', "else")
    parts.append("\n".join(["fn main() throws {", "    let args = cli::args()", '    let way = args.nth(1) ?? ""',
                            '    let count = text::parse_i64(args.nth(2) ?? "0") ?? 0', "    let mut bytes = 0",
                            "    for _ in 0..<count {", "        bytes += match way {", *arms, "        }", "    }",
                            '    println(f"{bytes}")', "}\n"]))
    return "\n".join(parts)


def main(bench, options):
    nikaia = bench.program("width", source())
    plain = bench.c_program("plain_reads")
    ring = bench.c_program("ring_reads", "-luring")
    methods = bench.methods(nikaia, "sequence2", "0")
    names = [bench.file(f"f{i}", FILE_BYTES).name for i in range(WIDTHS[-1])]
    ratios = {name: [] for name in ("C with liburing", *methods)}
    rows = []
    for width in WIDTHS:
        count = max(1, int(FILES_READ * options.scale / width))

        def round_us(command, env=None):
            return lambda: (seconds(command(count), bench.folder, env) - seconds(command(0), bench.folder, env)) / count * 1e6

        measures = {"C": round_us(lambda n: [plain, n, *names[:width]]),
                    "ring": round_us(lambda n: [ring, n, *names[:width]])}
        for method, env in methods.items():
            for way in ("sequence", "overlap"):
                measures[method, way] = round_us(lambda n, way=way: [nikaia, f"{way}{width}", n], env)
        got = in_turn(options.repeats, measures)
        ratios["C with liburing"].append(over(got["ring"], got["C"]))
        rows.append([width, "C", got["C"], ratios["C with liburing"][-1]])
        for method in methods:
            ratios[method].append(over(got[method, "overlap"], got[method, "sequence"]))
            rows.append(["", method, got[method, "sequence"], ratios[method][-1]])
    table(["files", "method", "sequence, µs a round", "overlapped / sequence"], rows)
    plot(bench.plots / "width.svg", "Cached 4 KiB files: overlapped against in sequence", "of the sequence",
         [str(width) for width in WIDTHS], ratios)


start(main, __doc__)
