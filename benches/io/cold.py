#!/usr/bin/env python3
"""Files that are not in the cache: where overlapping two reads truly waits for two disks' answers at once.

    benches/io/cold.py --nikaia build/release/bin/nikaia [--repeats 9] [--scale 1.0] [--plots DIR]

Before each run every file is written out and given up from the cache; each is read once. A host below
this machine may have a cache of its own. Microseconds a pair."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from bench import *

SIZES = (4_096, 65_536, 1_048_576)
PAIRS = 64


def give_up(paths):
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def main(bench, options):
    program = bench.program("cold", (HERE / "io/cold.nika").read_text())
    methods = bench.methods(program, "sequence", "0")
    count = max(1, int(PAIRS * options.scale))
    rows = []
    lines = {method: [] for method in methods}
    for size in SIZES:
        folder = bench.folder / str(size)
        folder.mkdir()
        paths = [folder / f"{n}.{side}" for n in range(count) for side in "ab"]
        for path in paths:
            path.write_bytes(os.urandom(size))

        def cold(method, way):
            def sample():
                give_up(paths)
                return seconds([program, way, count, folder], env=methods[method]) / count * 1e6
            return sample

        got = in_turn(options.repeats, {(method, way): cold(method, way) for method in methods
                                        for way in ("sequence", "overlap")})
        for method in methods:
            part = over(got[method, "overlap"], got[method, "sequence"])
            lines[method].append(part)
            rows.append([bytes_text(size), method, got[method, "sequence"], got[method, "overlap"], part])
    table(["a file", "method", "sequence, µs a pair", "overlapped, µs a pair", "overlapped / sequence"], rows)
    plot(bench.plots / "cold.svg", "Two files that are not cached: overlapped against in sequence", "of the sequence",
         [bytes_text(size) for size in SIZES], lines)


start(main, __doc__)
