#!/usr/bin/env python3
"""Tests of what run.py makes of the corpus's results."""
from pathlib import Path
import sys
import tempfile
import unittest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402


class VerdictTest(unittest.TestCase):
    RESULTS = {"01-values/a": None, "01-values/b": "stdout differs", "02-data/c": None, "02-data/d": "status 1"}

    def test_a_listed_case_that_fails_breaks(self):
        verdict = run.Verdict(self.RESULTS, {"01-values/a", "01-values/b"}, set())
        self.assertEqual(verdict.broken, ["01-values/b"])
        self.assertEqual(verdict.new, ["02-data/c"])
        self.assertEqual(verdict.topics, {"01-values": [1, 2], "02-data": [1, 2]})
        self.assertEqual((verdict.passed, verdict.failed), (2, 2))

    def test_a_case_that_does_not_pass_yet_breaks_nothing(self):
        self.assertEqual(run.Verdict(self.RESULTS, set(), set()).broken, [])

    def test_a_disputed_case_breaks_nothing(self):
        verdict = run.Verdict(self.RESULTS, {"01-values/b"}, {"01-values/b", "02-data/c"})
        self.assertEqual(verdict.broken, [])
        self.assertEqual(verdict.disputed, ["01-values/b", "02-data/c"])
        self.assertEqual(verdict.disputed_but_passing, ["02-data/c"])

    def test_a_case_passes_when_all_its_runs_do(self):
        runs = [{"topic": "t", "case": "a", "fail": None}, {"topic": "t", "case": "a", "fail": "why"},
                {"topic": "t", "case": "a", "fail": None}, {"topic": "t", "case": "b", "fail": None}]
        self.assertEqual(run.case_results(runs), {"t/a": "why", "t/b": None})

    def test_disputes_are_read_from_their_own_items(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "disputed.md"
            path.write_text("# Disputed\n\n- `01-values/x`: chapter 01 says so. See `01-values/y`.\n\n### `09-runtime/z`\n")
            self.assertEqual(run.disputed_cases(path), {"01-values/x", "09-runtime/z"})
            self.assertEqual(run.disputed_cases(Path(folder) / "none.md"), set())


if __name__ == "__main__":
    unittest.main()
