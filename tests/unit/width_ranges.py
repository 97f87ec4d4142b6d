#!/usr/bin/env python3
"""Prints lang/diag/display_width_ranges.h from the Unicode data of the running Python.

Combining marks (general categories Mn and Me) take no column; characters of East Asian width W or F take two, and so
do the unassigned ones of the two planes of ideographs, as Unicode's annex 11 has it. Run it when the table is to follow
a newer Unicode: `python3 tests/unit/width_ranges.py > lang/diag/display_width_ranges.h`.
"""
import unicodedata


def ranges(wanted):
    found, start = [], None
    for scalar in range(0x110000):
        if wanted(scalar):
            start = scalar if start is None else start
        elif start is not None:
            found.append((start, scalar - 1))
            start = None
    return found if start is None else found + [(start, 0x10FFFF)]


def combining(scalar):
    return unicodedata.category(chr(scalar)) in ("Mn", "Me")


def wide(scalar):
    # What Python answers for unassigned characters differs between its versions, so they are not asked.
    if unicodedata.category(chr(scalar)) == "Cn":
        return 0x20000 <= scalar <= 0x2FFFD or 0x30000 <= scalar <= 0x3FFFD
    return unicodedata.east_asian_width(chr(scalar)) in "WF" and not combining(scalar)


def table(name, comment, rows):
    text = f"// {comment}\ninline constexpr ScalarRange {name}[] = {{\n"
    line = "   "
    for first, last in rows:
        cell = f" {{0x{first:x}, 0x{last:x}}},"
        if len(line) + len(cell) > 118:
            text += line + "\n"
            line = "   "
        line += cell
    return text + line + "\n};\n"


print(f"""\
// Which characters a terminal shows in no column or in two: tables of Unicode {unicodedata.unidata_version}, sorted, made by
// `tests/unit/width_ranges.py`, which says from which properties.
#pragma once

namespace nikaia::lang {{

struct ScalarRange {{
  char32_t first;
  char32_t last;
}};

{table("combining_ranges", "General categories Mn and Me.", ranges(combining))}
{table("wide_ranges", "East Asian width W or F.", ranges(wide))}
}}  // namespace nikaia::lang""")
