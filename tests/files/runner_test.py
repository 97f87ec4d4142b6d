#!/usr/bin/env python3
"""Tests of the file-test runner itself, with a stand-in for `nikaia` that answers from the source it is given."""
import contextlib
import io
import os
from pathlib import Path
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import coverage  # noqa: E402
from expectations import BadTest, Expectations, Message, bless  # noqa: E402
import run  # noqa: E402

# Says a message for every line with SAY, prints what follows PRINT, ends with what follows EXIT.
STAND_IN = r'''#!/usr/bin/env python3
import json, re, sys
command = sys.argv[1]
name = next(a for a in sys.argv[2:] if a.endswith(".nika"))
source = open(name).read().split("\n")
def strip(line): return re.sub(r"//.*", "", line)
if command == "check":
    errors = 0
    for number, line in enumerate(source, 1):
        for severity, code in re.findall(r"SAY (\w+) (\w+)", strip(line)):
            errors += severity == "error"
            print(json.dumps({"type": "diagnostic", "code": None if code == "none" else code, "severity": severity,
                              "message": "You said it.", "spans": [{"file": name, "line": number, "primary": True}]}),
                  file=sys.stderr)
    print(json.dumps({"type": "summary"}), file=sys.stderr)
    sys.exit(1 if errors else 0)
if command == "lower":
    open(sys.argv[sys.argv.index("--output") + 1], "w").write("let %1 = add 1, 2\n")
    sys.exit(0)
for line in source:
    found = re.search(r"PRINT (.*)", strip(line))
    if found: print(found[1].strip())
    if "ECHO" in strip(line): print(sys.stdin.read(), end=""); print(sys.argv[sys.argv.index("--") + 1:])
    found = re.search(r"EXIT (\d+)", strip(line))
    if found: print("stopped", file=sys.stderr); sys.exit(int(found[1]))
'''


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.nikaia = self.folder / "nikaia"
        self.nikaia.write_text(STAND_IN)
        self.nikaia.chmod(self.nikaia.stat().st_mode | stat.S_IXUSR)

    def run_test(self, source, *switches):
        """The runner's status, what it printed, and the test file afterwards."""
        file = self.folder / "case.nika"
        file.write_text(source)
        argv, sys.argv = sys.argv, ["run.py", "--nikaia", str(self.nikaia), *switches, str(file)]
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                status = run.main()
        finally:
            sys.argv = argv
        return status, printed.getvalue(), file.read_text()

    def passes(self, source, *switches):
        status, printed, _ = self.run_test(source, *switches)
        self.assertEqual(status, 0, printed)
        self.assertIn("1 passed, 0 failed", printed)

    def fails(self, source, reason):
        status, printed, _ = self.run_test(source)
        self.assertEqual(status, 1)
        self.assertIn(reason, printed)
        self.assertIn("0 passed, 1 failed", printed)

    def test_expected_messages(self):
        self.passes("SAY error NK1139 //~ NK1139\n")
        self.passes("SAY error none //~ error\n")
        self.passes("SAY error NK1139\n//~^ NK1139\n")
        self.passes("//~v NK1139\nSAY error NK1139\n")
        self.passes("//~* NK1139\n\nSAY error NK1139\n")
        self.passes('SAY error NK1139 SAY error NK1140 //~ NK1139 "said" NK1140\n')
        self.passes("SAY warning NK1111 //~ warning NK1111\nPRINT a\n//= a\n")

    def test_other_messages(self):
        self.fails("SAY error NK1139\n", "said too: line 1: error NK1139: You said it.")
        self.fails("x //~ NK1139\n", "not said: line 1: error NK1139")
        self.fails("SAY error NK1139 //~ NK1140\n", "not said: line 1: error NK1140")
        self.fails("\nSAY error NK1139 //~^ NK1139\n", "not said: line 1")
        self.fails("SAY error NK1139 SAY error NK1139 //~ NK1139\n", "said too")
        self.fails('SAY error NK1139 //~ NK1139 "nothing of it"\n', "not said")
        self.fails("SAY warning NK1111\n", "said too: line 1: warning NK1111")

    def test_output(self):
        self.passes("PRINT a\nPRINT b\n//= a\n//= b\n")
        self.passes("EXIT 3\n//status: 3\n//stderr-has: topp\n")
        self.passes("ECHO\n//stdin: hello\n//args: x 'y z'\n//= hello\n//= ['x', 'y z']\n")
        self.fails("PRINT a\n", "standard output differs")
        self.fails("PRINT a\n//= a\n//= b\n", "-b")
        self.fails("EXIT 3\n", "status 3 instead of 0")
        self.fails("EXIT 3\n//status: 3\n//stderr-has: fine\n", "`fine` is not in standard error")

    def test_lowered(self):
        self.passes("x\n//nir: add 1, 2\n//nir-not: sub\n")
        self.fails("x\n//nir: sub\n", "`sub` is not in the output")
        self.fails("x\n//nir-not: add\n", "`add` is in the output")

    def test_check_only(self):
        self.passes("PRINT a\n//check-only\n")

    def test_bless_messages(self):
        _, printed, text = self.run_test("SAY error NK1139 //~ NK1140\nx //~ NK1117\n//~^ NK1117\n"
                                         "SAY warning NK1111\n", "--bless")
        self.assertIn("blessed", printed)
        self.assertEqual(text, "SAY error NK1139 //~ NK1139\nx\nSAY warning NK1111 //~ warning NK1111\n")
        self.passes(text)

    def test_bless_output(self):
        _, _, text = self.run_test("PRINT a\nPRINT \nEXIT 4\n//= old\n", "--bless")
        self.assertEqual(text, "PRINT a\nPRINT \nEXIT 4\n\n//status: 4\n//= a\n//=\n")
        self.passes(text)

    def test_bless_keeps_an_output_without_a_last_line_break(self):
        text = bless("x\n", None, "a\n\n  b", 0)
        self.assertEqual(text, "x\n\n//= a\n//=\n//=-   b\n")
        self.assertEqual(Expectations(text).stdout, "a\n\n  b")

    def test_a_test_written_wrong(self):
        for source in ("x //~ NK11\n", "x //~\n", "//status: many\n"):
            with self.assertRaises(BadTest):
                Expectations(source)
        self.assertEqual(Expectations("a\n  //~ warning\n").messages, [Message(2, "warning", None)])


class CoverageTest(unittest.TestCase):
    TABLE = ('NIKAIA_CODE(1101, error, types,\n  "x", "y", "z")\nNIKAIA_RETIRED(1102, "z")\n'
             'NIKAIA_CODE(1103, warning, types, "x", "y", "z")\n')

    def problems(self, tests, without):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "codes.def").write_text(self.TABLE)
            (root / "list.txt").write_text("# a comment\n" + "".join(code + "\n" for code in without))
            (root / "tests").mkdir()
            (root / "tests" / "a.nika").write_text(tests)
            return coverage.problems(root / "codes.def", root / "tests", root / "list.txt")

    def test_every_code_is_in_exactly_one_place(self):
        self.assertEqual(self.problems("x //~ NK1101\ny //~ warning NK1103\n", []), [])
        self.assertEqual(self.problems("x //~ NK1101\n", ["NK1103"]), [])
        self.assertIn("NK1103", self.problems("x //~ NK1101\n", [])[0])
        self.assertIn("NK1101", self.problems("x //~ NK1101 NK1103\n", ["NK1101"])[0])
        self.assertIn("NK1999", self.problems("x //~ NK1101 NK1103\n", ["NK1999"])[0])
        self.assertIn("NK1102", self.problems("x //~ NK1101 NK1102 NK1103\n", [])[0])


if __name__ == "__main__":
    unittest.main()
