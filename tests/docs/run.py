#!/usr/bin/env python3
"""Compiles and runs the programs in the documents: every fence marked `nika` is a program.

The fence behind it says what it does: `text` holds what it prints, `refused` how the compiler's messages begin, one a line.
A program without either has only to compile.

    run.py --nikaia PATH DOCUMENT ...

Ends with `N passed, N failed`; the status is 0 only where all passed."""
import argparse
from pathlib import Path
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def programs(document):
    """(line, program, kind, expected) for each program."""
    text = document.read_text(encoding="utf-8")
    fences = [(text.count("\n", 0, m.start()) + 1, m.group(1), m.group(2)) for m in FENCE.finditer(text)]
    for at, (line, kind, body) in enumerate(fences):
        if kind != "nika":
            continue
        following = fences[at + 1] if at + 1 < len(fences) else (0, "", "")
        says = following[1] in ("text", "refused")
        yield line, body, following[1] if says else "", following[2] if says else ""


def fault(nikaia, body, kind, expected):
    """What is wrong with one program; empty where nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.nika"
        source.write_text(body, encoding="utf-8")
        command = "run" if kind == "text" else "check"
        ran = subprocess.run([nikaia, command, str(source)], cwd=folder, capture_output=True, text=True, timeout=120)
        if kind == "refused":
            said = [l for l in ran.stderr.splitlines() if re.match(r"(error|warning)", l)]
            said = [l for l in said if not l.startswith("nikaia:")]
            wanted = expected.splitlines()
            fits = len(said) == len(wanted) and all(s.startswith(w) for s, w in zip(said, wanted))
            return "" if ran.returncode != 0 and fits else f"the compiler said\n{ran.stderr}"
        if ran.returncode != 0:
            return f"status {ran.returncode}\n{ran.stderr}"
        if kind == "text" and ran.stdout != expected:
            return f"it printed\n{ran.stdout}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nikaia", required=True, type=lambda p: str(Path(p).resolve()))
    parser.add_argument("documents", nargs="+", type=Path)
    options = parser.parse_args()
    passed = failed = 0
    for document in options.documents:
        for line, body, kind, expected in programs(document):
            wrong = fault(options.nikaia, body, kind, expected)
            if wrong:
                failed += 1
                print(f"{document}:{line}: {wrong}")
            else:
                passed += 1
    if passed + failed == 0:
        failed = 1
        print("no programs found")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
