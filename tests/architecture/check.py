#!/usr/bin/env python3
"""Checks from the #include lines that dependencies point the way docs/architecture.md says.

    check.py [ROOT]

`rooms` below is that table: what a folder may include besides itself. The longest folder that fits a file's path is its
room. An include of ours is one that names a file below the root, below include/ or below runtime/include/; all others
are the system's, and `forbidden` says which of those a folder must do without."""
from pathlib import Path
import re
import sys

# room → rooms it may include. `passes/*` and `backends/*` are one room for each folder.
rooms = {
    "include": [],
    "lang": ["include"],
    "passes/*": ["include", "lang"],
    "interpret": ["include", "lang"],
    "driver": ["include", "lang", "interpret", "runtime/load"],
    "runtime/load": ["include"],
    "runtime": ["include", "runtime/load"],
    "backends/posix": ["include"],  # what backends over system calls have in common
    "backends/tests": ["include", "backends/*", "backends/posix"],
    "backends/*": ["include", "backends/posix"],
    "plugins": ["include", "lang"],
    "tests": ["include", "lang", "interpret", "driver", "runtime", "runtime/load", "passes/*", "backends/*", "backends/posix"],
    "benches": ["include", "lang", "driver", "runtime", "runtime/load"],
}
# Inside lang/: what a folder may include of its siblings, so that the library stays in layers.
layers = {
    "lang/text": [],
    "lang/diag": ["lang/text"],
    "lang/syntax": ["lang/text", "lang/diag"],
    "lang/types": ["lang/text", "lang/diag", "lang/syntax"],
    "lang/facts": ["lang/text", "lang/diag", "lang/syntax", "lang/types", "lang/nir"],
    "lang/nir": ["lang/text", "lang/diag", "lang/syntax", "lang/types", "lang/facts"],
}
# Single files that may be included against the arrows, each for a reason.
doors = {
    # Which C++ function a row of the library is: one table, read by emission and by the library's tests.
    ("passes/*", "std/std.cpp.def"),
    # A program must start where no backend file is installed, so `blocking` is linked into the runtime as well.
    ("runtime", "backends/blocking/linked.h"),
}
# What a folder must not include of the system: the mechanisms of I/O live in their backends, and what every emitted
# program includes stays light.
io_mechanisms = r"liburing.*|uv\.h|sys/epoll\.h"
forbidden = {
    "include": io_mechanisms,
    "runtime/include": rf"iostream|functional|regex|boost/.*|{io_mechanisms}",
    "lang": rf"boost/.*|{io_mechanisms}",
    "passes": rf"boost/.*|iostream|{io_mechanisms}",
    "driver": io_mechanisms,
    "runtime": io_mechanisms,
}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of(path):
    """The room of a path relative to the root, as (name in the table, actual folder), or (None, None)."""
    parts = path.as_posix().split("/")
    for size in (2, 1):
        folder = "/".join(parts[:size])
        if len(parts) > size and folder in rooms:
            return folder, folder
        if size == 2 and len(parts) > 2 and parts[0] + "/*" in rooms:
            return parts[0] + "/*", folder
    return None, None


def layer_of(path):
    folder = "/".join(path.as_posix().split("/")[:2])
    return folder if folder in layers else None


def target_of(root, source, quote, name):
    """The file of ours that an include names, relative to the root, or None."""
    places = [root / name, root / "include" / name, root / "runtime/include" / name]
    if quote == '"':
        places.insert(0, source.parent / name)
    for place in places:
        if place.is_file() and place.resolve().is_relative_to(root):
            return place.resolve().relative_to(root)
    return None


def problems(root):
    root = root.resolve()
    found = []
    for source in sorted(p for p in root.rglob("*") if p.suffix in (".h", ".cc", ".c", ".hpp", ".def")):
        path = source.relative_to(root)
        room, folder = room_of(path)
        if room is None or path.parts[0].startswith("build"):
            continue
        text = source.read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            target = target_of(root, source, match[1], match[2])
            if target is None:
                found += [f"{path}:{line}: {place} must do without <{match[2]}>" for place, names in forbidden.items()
                          if path.is_relative_to(place) and re.fullmatch(names, match[2])]
                continue
            target_room, target_folder = room_of(target)
            open_door = (room, target.as_posix()) in doors
            if target_folder != folder and target_room not in rooms[room] and not open_door:
                found.append(f"{path}:{line}: {room} may not include {target}, which is in {target_room}")
            layer, target_layer = layer_of(path), layer_of(target)
            if layer and target_layer and layer != target_layer and target_layer not in layers[layer]:
                found.append(f"{path}:{line}: {layer} may not include {target}: it is a layer below {target_layer}")
    return found


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = problems(root)
    print("\n".join(found) if found else "every include points the way it should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
