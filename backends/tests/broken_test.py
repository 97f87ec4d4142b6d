"""The conformance suite finds every breach of the rules that broken.cc has, and none where nothing is broken."""
from pathlib import Path
import os
import re
import subprocess
import sys
import unittest

SUITE, BROKEN, SOURCE = sys.argv[1:4]
# Each is found by the cases named here; running the whole suite for each would only cost time.
FOUND_BY = {
    "probe leaves nothing behind": "probes without a trace",
    "open leaves nothing behind": "opens and closes again and again",
    "a buffer ends where it ends": "reads whole files of every size",
    "an unknown kind is refused": "refuses kinds it does not know",
    "an offset is kept": "reads a file in pieces",
    "O_APPEND is passed on": "appends",
    "a look-up stays below": "opens from a directory, and keeps below it",
    "data is written": "creates and writes a file",
    "a rename keeps its flags": "renames",
    "writable is not readable": "waits for room",
    "submit says how many": "mixes every sort of operation",
    "every operation ends": "does nothing when asked to",
    "an operation ends once": "does nothing when asked to",
    "errors are negative": "says why it cannot open",
    "a result says how many": "reads a file in pieces",
    "MORE says that there is more": "reads whole files of every size",
    "STREAM says that it is one": "reads a FIFO to its end",
    "a deadline ends a wait": "keeps deadlines",
    "a wait sleeps": "sleeps instead of spinning",
    "1 says that there is something": "returns at once when it must not block",
    "a wake ends a wait": "is woken by another thread",
    "a wait can be stopped": "stops a wait for readiness",
    "cancelling twice is too late": "says when cancelling is too late",
    "pending counts": "does nothing when asked to",
    "close gives back what was opened": "closes with completions nobody has reaped",
}


def run(rule, case):
    env = {**os.environ, "NIKAIA_BROKEN": rule, "NIKAIA_BACKEND_CASE_LIMIT": "3"}
    return subprocess.run([SUITE, BROKEN, "--only", case], env=env, capture_output=True, text=True, timeout=120)


class Broken(unittest.TestCase):
    def test_each_breach_is_found(self):
        for rule, case in FOUND_BY.items():
            with self.subTest(rule=rule):
                done = run(rule, case)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("FAIL", done.stdout)

    def test_nothing_is_found_where_nothing_is_broken(self):
        for case in sorted(set(FOUND_BY.values())):
            with self.subTest(case=case):
                self.assertEqual(run("", case).returncode, 0)

    def test_every_breach_is_tried(self):
        self.assertEqual(sorted(re.findall(r'breaks\("([^"]+)"\)', Path(SOURCE).read_text())), sorted(FOUND_BY))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
