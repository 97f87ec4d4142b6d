#!/usr/bin/env python3
"""Checks programs that are nearly right: each is a program of the file tests with a few words of it deleted, doubled,
exchanged, or replaced by words of another. The compiler may refuse or accept it; it may not crash, hang, or call
something its own defect.

    run.py --nikaia PATH [--programs N] [--seed N] [--keep FOLDER] [--run] FOLDER ...

With --run what is accepted is also compiled with the sanitizers and run; what reaches files or other programs is compiled
only. A program may stop or fail as it likes, but not by a signal or with a sanitizer's report.

A fresh seed each time, which is printed; programs that fail are kept in FOLDER. Ends with `N passed, N failed`."""
import argparse
import concurrent.futures
import os
from pathlib import Path
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WORD = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|\s+|::|->|=>|\?\?|\?\.|[-+*/%<>=!]=|\.\.<?|.', re.S)
SECONDS = 20  # for one program; what takes longer hangs
STATUS_DEFECT = 70
STATUS_SANITIZER = 99
REACHES_OUT = re.compile(r"\b(fs|process|net)\s*::")


def words_of(text):
    return WORD.findall(text)


def likeness(word):
    if word[:1].isalpha() or word[:1] == "_":
        return "Name" if word[0].isupper() else "name"
    return "text" if word[:1] == '"' else "number" if word[:1].isdigit() else "sign"


def mutated(rng, programs):
    words = list(rng.choice(programs))
    solid = [i for i, w in enumerate(words) if not w.isspace() and not w.startswith("//")]
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        if len(solid) < 4:
            break
        at, other = rng.choice(solid), rng.choice(solid)
        kind = rng.randrange(12)
        if kind == 0:
            words[at] = ""
        elif kind == 1:
            words[at] += " " + words[at]
        elif kind == 2:
            words[at], words[other] = words[other], words[at]
        elif kind == 3:
            words[at] = words[other]
        elif kind == 4:
            donor = rng.choice(programs)
            words[at] = rng.choice(donor)
        elif kind == 5:  # a run of words from elsewhere
            donor = rng.choice(programs)
            begin = rng.randrange(len(donor))
            words[at] += " " + "".join(donor[begin:begin + rng.randrange(1, 12)])
        elif kind >= 7:  # a word of the same kind and program, so that it often still parses
            alike = [i for i in solid if likeness(words[i]) == likeness(words[at])]
            words[at] = words[rng.choice(alike)]
        else:  # a run of words gone
            for i in range(at, min(at + rng.randrange(1, 8), len(words))):
                words[i] = "" if not words[i].isspace() else words[i]
    return "".join(words)


def fault_of_accepted(nikaia, source, text, home):
    """Builds and runs; what is wrong, or "". A program may go on for ever, so that is no fault."""
    reaches_out = REACHES_OUT.search(text) is not None
    env = dict(os.environ, XDG_CACHE_HOME=str(home.parent / "cache"), LC_ALL="C",
               ASAN_OPTIONS=f"exitcode={STATUS_SANITIZER}", UBSAN_OPTIONS=f"exitcode={STATUS_SANITIZER}")
    command = [nikaia, "build" if reaches_out else "run", "--profile", "dev" if reaches_out else "sanitize", str(source)]
    with subprocess.Popen(command, cwd=source.parent, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, start_new_session=True) as ran:
        try:
            said = ran.communicate(timeout=SECONDS)[1].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            os.killpg(ran.pid, signal.SIGKILL)
            ran.communicate()
            return ""
    for sign in ("internal error", "Sanitizer", "runtime error:"):
        if sign in said:
            return "\n".join(said.splitlines()[-30:])
    if ran.returncode < 0 or ran.returncode in (STATUS_DEFECT, STATUS_SANITIZER, 139):
        return f"status {ran.returncode}\n" + "\n".join(said.splitlines()[-12:])
    return ""


def fault(nikaia, folder, number, text, runs):
    home = Path(folder) / f"{number}"
    home.mkdir()
    try:
        return fault_in(nikaia, home, text, runs)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def fault_in(nikaia, home, text, runs):
    source = home / "program.nika"
    source.write_text(text, encoding="utf-8")
    try:
        ran = subprocess.run([nikaia, "check", str(source)], capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} seconds"
    said = ran.stderr.decode("utf-8", "replace")
    if ran.returncode < 0 or ran.returncode == STATUS_DEFECT or "internal error" in said:
        return f"status {ran.returncode}\n" + "\n".join(said.splitlines()[:12])
    return fault_of_accepted(nikaia, source, text, home) if runs and ran.returncode == 0 else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nikaia", required=True)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_007)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    options.nikaia = os.path.abspath(options.nikaia)
    files = sorted(f for folder in options.folders for f in folder.rglob("*.nika"))
    programs = [words_of(f.read_text(encoding="utf-8", errors="replace")) for f in files]
    programs = [p for p in programs if 10 < len(p) < 5000]
    rng = random.Random(options.seed)
    print(f"seed {options.seed}, {options.programs} programs from {len(programs)}", flush=True)
    texts = [mutated(rng, programs) for _ in range(options.programs)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="nikaia-mutations-") as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = pool.map(lambda n: fault(options.nikaia, folder, n, texts[n], options.run), range(len(texts)))
            for number, wrong in enumerate(faults):
                if not wrong:
                    continue
                failed += 1
                print(f"program {number}: {wrong}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{options.seed}-{number}.nika").write_text(texts[number], encoding="utf-8")
    print(f"{len(texts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
