#!/usr/bin/env python3
"""Runs the language's conformance programs and compares with what passed before.

    run.py [--nikaia PATH] [--only TEXT] [--parallelism no,yes] [--profile NAME] [--jobs N] [--bless] [--verbose]

The programs are not part of this repository. They are taken from the folder named by NIKAIA_CONFORMANCE, else from
`../shared/conformance` beside the checkout; without either the run is skipped with status 77, which CTest knows.

`passing.txt` lists the cases that pass, `topic/case` a line. A listed case that fails is a failure of this run; one that
passes and is not listed is reported, and `--bless` adds it. A case named in `../conformance-disputed.md` is reported and
fails nothing. Ends with `N passed, N failed`, where a failed case is a listed one."""
import argparse
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LIST = HERE / "passing.txt"
DISPUTED = HERE.parent / "conformance-disputed.md"
SKIPPED = 77
HEADER = "# Conformance cases that pass, `topic/case` a line, sorted. `run.py --bless` adds to it and never removes.\n"


def corpus_folder():
    named = os.environ.get("NIKAIA_CONFORMANCE")
    return Path(named) if named else REPOSITORY.parent / "shared" / "conformance"


def listed_cases(path):
    if not path.exists():
        return set()
    return {line.strip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")}


def disputed_cases(path):
    """The cases whose own list item or heading names them: `topic/case` in backquotes at its start."""
    if not path.exists():
        return set()
    return set(re.findall(r"^(?:[-*]|#+)\s+`([\w.-]+/[\w.-]+)`", path.read_text(), re.MULTILINE))


def case_results(runs):
    """One entry a case: None where every one of its runs passed, else the first reason."""
    results = {}
    for run in runs:
        name = f"{run['topic']}/{run['case']}"
        results[name] = results.get(name) or run["fail"]
    return results


class Verdict:
    """What one run says in the light of what passed before."""

    def __init__(self, results, listed, disputed):
        passed = {name for name, failure in results.items() if failure is None}
        failed = set(results) - passed
        self.broken = sorted((failed & listed) - disputed)
        self.new = sorted(passed - listed)
        self.disputed = sorted(disputed & set(results))
        self.disputed_but_passing = sorted(disputed & passed)
        self.gone = sorted(listed - set(results))
        self.topics = {}
        for name in results:
            row = self.topics.setdefault(name.split("/")[0], [0, 0])
            row[0] += name in passed
            row[1] += 1
        self.passed, self.failed = len(passed), len(failed)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nikaia", default=os.environ.get("NIKAIA", "nikaia"))
    parser.add_argument("--only", default="")
    parser.add_argument("--parallelism", default="no")
    parser.add_argument("--profile", default="dev")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="the reason of every case that fails")
    options = parser.parse_args()
    path = shutil.which(options.nikaia)
    if not path:
        parser.error(f"there is no program `{options.nikaia}`; give the built one with --nikaia")
    options.nikaia = str(Path(path).resolve())
    return options


def run_corpus(corpus, options):
    with tempfile.TemporaryDirectory(prefix="nikaia-conformance-") as folder:
        output = Path(folder) / "results.json"
        command = [sys.executable, str(corpus / "run.py"), "--nikaia", options.nikaia, "--json", str(output), "--only",
                   options.only, "--parallelism", options.parallelism, "--profile", options.profile, "--jobs",
                   options.jobs, str(corpus)]
        done = subprocess.run(command, capture_output=True, text=True)
        if not output.exists():
            sys.exit(f"the corpus's own run.py ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(output.read_text())


def main():
    corpus = corpus_folder()
    if not (corpus / "run.py").exists():
        print(f"skipped: there are no conformance programs in {corpus}; name their folder in NIKAIA_CONFORMANCE")
        return SKIPPED
    options = parse_options()
    results = case_results(run_corpus(corpus, options))
    listed = listed_cases(LIST)
    verdict = Verdict(results, listed, disputed_cases(DISPUTED))

    if options.verbose:
        for name, failure in sorted(results.items()):
            if failure:
                print(f"  {name}: {failure}")
    for topic, (passed, total) in sorted(verdict.topics.items()):
        print(f"{topic}: {passed} of {total}")
    for name in verdict.disputed:
        print(f"disputed: {name}" + (" (passes)" if name in verdict.disputed_but_passing else f": {results[name]}"))
    for name in verdict.new:
        print(f"passes now: {name}")
    if not options.only:
        for name in verdict.gone:
            print(f"listed, and not in the corpus any more: {name}")
    for name in verdict.broken:
        print(f"BROKEN {name}: {results[name]}")
    if options.bless and verdict.new:
        LIST.write_text(HEADER + "".join(name + "\n" for name in sorted(listed | set(verdict.new))))
        print(f"added {len(verdict.new)} to {LIST.name}")
    waiting = verdict.failed - len(verdict.broken)
    print(f"{waiting} cases are not listed as passing and do not pass yet")
    print(f"{verdict.passed} passed, {len(verdict.broken)} failed")
    return 1 if verdict.broken else 0


if __name__ == "__main__":
    sys.exit(main())
