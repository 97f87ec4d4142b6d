#!/usr/bin/env python3
"""Checks that every diagnostic code has a file test, or stands in the list of codes whose check is not built yet.

    coverage.py [--bless]

A code in neither place, or in both, is a failure; so is a listed code that the table does not have. `--bless` rewrites
the list to what has no test now."""
import argparse
from pathlib import Path
import re
import sys

from expectations import Expectations, read

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "lang" / "diag" / "codes.def"
LIST = HERE / "codes-without-check.txt"
HEADER = """\
# Diagnostic codes whose check is not built yet, one a line. A code leaves this list in the change that gives it a file
# test; `coverage.py` fails when a code is both here and tested, or neither.
"""


def codes_of_table(table):
    """Live codes and retired ones."""
    text = table.read_text()
    live = {"NK" + n for n in re.findall(r"^NIKAIA_CODE\((\d{4}),", text, re.MULTILINE)}
    retired = {"NK" + n for n in re.findall(r"^NIKAIA_RETIRED\((\d{4}),", text, re.MULTILINE)}
    return live, retired


def tested_codes(folder):
    return {message.code for file in folder.rglob("*.nika") for message in Expectations(read(file)).messages} - {None}


def listed_codes(path):
    return [line.strip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def problems(table, folder, list_path):
    live, retired = codes_of_table(table)
    tested, listed = tested_codes(folder), listed_codes(list_path)
    found = [f"{code} has no file test; add one, or the code to {list_path.name}" for code in
             sorted(live - tested - set(listed))]
    found += [f"{code} has a file test; take it out of {list_path.name}" for code in sorted(tested & set(listed))]
    found += [f"{code} stands in {list_path.name} and not in the table" for code in sorted(set(listed) - live)]
    found += [f"{code} is retired, and a file test expects it" for code in sorted(tested & retired)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    live, _ = codes_of_table(TABLE)
    tested = tested_codes(HERE)
    if options.bless:
        LIST.write_text(HEADER + "".join(code + "\n" for code in sorted(live - tested)))
    found = problems(TABLE, HERE, LIST)
    for problem in found:
        print(problem)
    print(f"{len(live & tested)} of {len(live)} codes have a file test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
