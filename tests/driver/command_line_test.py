"""The command line: what is accepted, what is refused, and with which status."""
from driver import *


class CommandLine(DriverTest):
    def refused(self, words, *parts, status=2):
        run = self.nikaia(*words)
        self.check(run, status, *parts)
        self.assertTrue(run.err.endswith("nikaia: 1 error\n"), run.err)
        self.assertEqual(run.out, "")

    def test_version_and_help(self):
        self.assertRegex(self.nikaia("--version").out, r"^nikaia \d+\.\d+\.\d+\n$")
        self.assertEqual(self.nikaia("run", "--version").out, self.nikaia("--version").out)
        for words in (["--help"], []):
            run = self.nikaia(*words)
            self.check(run, 0)
            for command in ("new", "check", "build", "run", "lower", "interpret", "passes", "backends"):
                self.assertIn(f"  {command} ", run.out)
        self.assertIn("--user-parallelism", self.nikaia("run", "--help").out)

    def test_unknown_words(self):
        self.refused(["rnu"], "There is no command `rnu`.", "Did you mean `nikaia run`?")
        self.refused(["zzzzzz"], "There is no command `zzzzzz`.", "`nikaia --help` lists the commands.")
        self.refused(["--verion"], "`nikaia` has no switch `--verion`.")
        self.refused(["run", "x.nika", "--targt=x"], "`nikaia run` has no switch `--targt`.",
                     "Did you mean `--target`?")
        self.refused(["check", "a.nika", "b.nika"], "takes nothing more, and you gave it `b.nika`")
        self.refused(["fmt"], "`nikaia fmt` isn't built yet.")

    def test_values(self):
        self.refused(["run", "--profile"], "`--profile` needs a value")
        self.refused(["run", "--profile=fast"], "`--profile` can't be `fast`.", "`dev`, `release` or `sanitize`")
        self.refused(["run", "--color", "red"], "`--color` can't be `red`.")
        self.refused(["check", "--message-format", "xml"], "`--message-format` can't be `xml`.")
        self.refused(["check", "--user-parallelism=maybe"], "`yes` or `no`")
        self.refused(["check", "--refuted-claims=no"], "`error` or `warn`")
        self.refused(["check", "--optimization=remove-bounds-checks"], "is `on` or `off`")
        self.refused(["check", "--pass-option", "types"], "`--pass-option` can't be `types`.")
        self.refused(["check", "--target=wasm32-unknown"], "`x86_64-linux` and `aarch64-linux`", status=1)

    def test_words_that_do_not_fit_together(self):
        self.refused(["lower"], "`nikaia lower` needs the file to lower.")
        self.refused(["build", "a.nika"], "`nikaia build` builds a project")
        self.refused(["check", "a.nika", "--project", "b"], "don't go together")
        self.refused(["check", "--", "a"], "Only `nikaia run` hands arguments to a program.")
        self.refused(["new"], "`nikaia new` needs one name.")
        self.refused(["new", "a", "--pass", "b"], "`nikaia new` needs one name.")
        self.refused(["backends", "chekc", "a.so"], "`nikaia backends` takes nothing, or `check` and one file.")

    def test_files_that_are_not_there(self):
        self.refused(["run", "nowhere.nika"], "There is no file `nowhere.nika`.")
        self.refused(["check", "."], "`.` is a directory")
        self.refused(["check", "--project", "nowhere"], "there is no such directory")
        self.write("notes.txt", "")
        self.refused(["check", "notes.txt"], "isn't called `….nika`")
        self.refused(["build"], "There is no project here", "`nikaia new NAME`", status=1)

    def test_switches_stand_anywhere(self):
        self.project()
        run = self.nikaia("build", "--profile", "sanitize", "--project", self.folder, "--bogus")
        self.check(run, 2, "`--bogus`")
        for words in (["--message-format", "json"], ["--message-format=json"]):
            run = self.nikaia("check", *words, "nowhere.nika")
            self.assertEqual(run.messages()[0]["message"], "There is no file `nowhere.nika`.")
            self.assertEqual(run.messages()[-1], {"type": "summary", "errors": 1, "warnings": 0, "status": 2})

    def test_json_about_the_command_line_itself(self):
        run = self.nikaia("check", "--message-format", "json", "--bogus")
        self.assertEqual([m["type"] for m in run.messages()], ["diagnostic", "summary"])
        self.assertEqual(run.status, 2)

    def test_log(self):
        self.write("x.nika", HELLO)
        quiet = self.nikaia("run", *VERBATIM, "x.nika")
        self.check(quiet, 0, out="hello\n")
        self.assertEqual(quiet.err, "")
        loud = self.nikaia("run", *VERBATIM, "x.nika", "-v")
        self.check(loud, 0, "unchanged: ", out="hello\n")
        logged = self.nikaia("run", *VERBATIM, "x.nika", "--log-file", "driver.log")
        self.assertEqual(logged.err, "")
        self.assertIn("unchanged: ", (self.folder / "driver.log").read_text())
        self.check(self.nikaia("check", "x.nika", "--log-file", "x.nika/log"), 2, "I can't write the log file")

    def test_colour(self):
        plain = self.nikaia("rnu")
        self.assertNotIn("\x1b", plain.err)
        self.write("x.nika", "fn main( {}\n")
        coloured = self.nikaia("check", "x.nika", "--color=always")
        self.assertIn("\x1b[", coloured.err)
        import re
        without = re.sub(r"\x1b\[[0-9;]*m", "", coloured.err)
        self.assertEqual(without, self.nikaia("check", "x.nika").err)
        never = self.nikaia("check", "x.nika", "--color=never")
        self.assertNotIn("\x1b", never.err)

    def test_places_that_cannot_be_used(self):
        self.write("x.nika", HELLO)
        self.write("file", "")
        run = self.nikaia("check", "x.nika", env={"NIKAIA_SYSROOT": str(self.folder)})
        self.check(run, 78, "`NIKAIA_SYSROOT` names", "holds no installation")
        run = self.nikaia("check", "x.nika", env={"NIKAIA_CACHE_DIR": str(self.folder / "file")})
        self.check(run, 78, "I can't use the cache folder", "`NIKAIA_CACHE_DIR`")
        run = self.nikaia("run", *VERBATIM, "x.nika", env={"NIKAIA_TARGET_DIR": str(self.folder / "file")})
        self.check(run, 78, "for build output")


if __name__ == "__main__":
    unittest.main()
