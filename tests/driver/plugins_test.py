"""Passes: loading, ordering, switches, and every way a plugin can be wrong."""
from driver import *

# Has a syntax error, so that a run that says nothing of it has not read it.
UNREAD = "fn main( {\n"


class Wrong(DriverTest):
    def refused(self, words, *parts):
        self.write("x.nika", UNREAD)
        run = self.nikaia("check", "x.nika", *words)
        self.check(run, 1, *parts)
        self.assertNotIn("x.nika", run.err)
        self.assertIn("= help: ", run.err)

    def with_plugins(self, *names):
        return [word for name in names for word in ("--pass-plugin", str(plugin(name)))]

    def test_files_that_are_no_plugins(self):
        self.refused(["--pass-plugin", "nowhere.so"], "`nowhere.so`", "there is no such file")
        text = self.write("text.so", "not a plugin\n")
        self.refused(["--pass-plugin", text], "`text.so`", "it is not a shared object")
        self.refused(["--pass-plugin", self.write("empty.so", "")], "the file is empty")
        self.refused(["--pass-plugin", self.folder], "it is a directory")
        whole = plugin("counts").read_bytes()
        for length in (10, 60, 500, 4096):
            (self.folder / "short.so").write_bytes(whole[:length])
            self.refused(["--pass-plugin", "short.so"], "`short.so`", "truncated")
        foreign = bytearray(whole)
        foreign[18:20] = (40).to_bytes(2, "little")  # e_machine: ARM
        (self.folder / "arm.so").write_bytes(foreign)
        self.refused(["--pass-plugin", "arm.so"], "built for another machine")

    def test_shared_objects_that_are_no_plugins(self):
        self.refused(self.with_plugins("no-entry-point"), "nikaia-pass-no-entry-point.so",
                     "doesn't export the function `nikaia_pass_plugin_v1`")
        self.refused(self.with_plugins("no-descriptor"), "nikaia-pass-no-descriptor.so", "no descriptor")
        self.refused(self.with_plugins("unresolved"), "nikaia-pass-unresolved.so",
                     "nikaia_test_function_that_nobody_defines")
        self.refused(self.with_plugins("malformed"), "nikaia-pass-malformed.so",
                     "the pass `malformed` changes `counts@1` without requiring it")

    def test_other_abi(self):
        self.refused(self.with_plugins("other-tag"), "nikaia-pass-other-tag.so", "built for another `nikaia`",
                     "nikaia 0.0.9; gcc 11", "Build the plugin again")

    def test_sets_that_do_not_fit(self):
        self.refused(self.with_plugins("cycle"), "wait for each other", "`hen` (", "`nest` (",
                     "nikaia-pass-cycle.so")
        self.refused(self.with_plugins("counts", "second-provider"), "Two passes provide the fact `counts@1`",
                     "`counts` (", "nikaia-pass-counts.so", "`other-counts` (", "nikaia-pass-second-provider.so")
        self.refused(self.with_plugins("counts", "taken-name"), "Two passes are called `counts`",
                     "nikaia-pass-counts.so", "nikaia-pass-taken-name.so")
        self.refused(self.with_plugins("missing-fact"), "`forecast` (", "nikaia-pass-missing-fact.so",
                     "requires the fact `weather@1`, and no pass provides it")
        self.refused(self.with_plugins("too-early"), "`impatient` (", "requires the fact `depth@1`",
                     "`sounding` (", "in a later stage")

    def test_switches(self):
        counts = self.with_plugins("counts")
        self.refused([*counts, "--disable-pass", "cuonts"], "There is no pass `cuonts` to disable",
                     "Did you mean `counts`?")
        self.refused([*counts, "--disable-pass", "counts"], "requires the fact `counts@1`", "is switched off")
        self.refused([*counts, "--pass-option", "a-count-report:mots=1"], "takes no option `mots`",
                     "Did you mean `most`?")
        self.refused([*counts, "--pass-option", "counts:most=1"], "takes no option `most`", "takes no options")
        self.refused([*counts, "--pass-option", "nobody:most=1"], "There is no pass `nobody`")
        self.refused(["--emit", "nothing"], "There is no emission pass `emit-nothing`")

    def test_required_passes_stay(self):
        self.write("x.nika", "fn main() {}\n")
        passes = self.nikaia("passes").out.splitlines()[1:]
        required = [line.split()[1] for line in passes if " required " in line and " on " in line]
        for name in required[:3]:
            self.check(self.nikaia("check", "x.nika", "--disable-pass", name), 1, f"The pass `{name}` (",
                       "is required and can't be disabled")

    def test_names_of_the_manifest(self):
        self.project(manifest='[build]\npasses = ["counts"]\n', source=UNREAD)
        run = self.nikaia("check")
        self.check(run, 1, "I find no plugin `counts` for `[build] passes`.", "nikaia.toml:5:11",
                   "nikaia-pass-counts.so", "`NIKAIA_PASS_PATH`")
        run = self.nikaia("passes", env={"NIKAIA_PASS_PATH": f":/nowhere:{PLUGINS}:"})
        self.check(run, 0)
        self.assertIn("a-count-report", run.out)


class Failing(DriverTest):
    def failing(self, how, *parts):
        self.write("x.nika", "fn main() {}\n")
        run = self.nikaia("check", "x.nika", "--pass-plugin", plugin("misbehaves"),
                          "--pass-option", f"misbehaves:how={how}")
        self.check(run, 70, "internal error: The pass `misbehaves`", *parts)
        self.assertTrue(run.err.endswith("nikaia: 1 error\n"), run.err)
        return run

    def log_of(self, run):
        import re
        name = re.search(r"`([^`]*internal-[0-9a-f]{6,}\.log)`", run.err)
        self.assertIsNotNone(name, run.err)
        return Path(self.folder, name[1]).read_text()

    LOOKING = ("nikaia-pass-misbehaves.so) failed while looking at `stoke` in `x.nika`. "
               "Your program is not at fault.")

    def test_exceptions(self):
        run = self.failing("throw", self.LOOKING, "it threw an exception: the boiler is cold")
        self.assertIn("the boiler is cold", self.log_of(run))
        self.failing("throw-nothing", self.LOOKING, "an exception that says nothing")

    def test_crashes(self):
        for how, signal_name in [("segfault", "SIGSEGV"), ("null", "SIGSEGV"), ("abort", "SIGABRT"),
                                 ("recurse", "SIGSEGV")]:
            with self.subTest(how):
                run = self.failing(how, self.LOOKING, f"It was ended by {signal_name}.")
                log = self.log_of(run)
                self.assertIn("misbehaves", log)
                self.assertIn(signal_name, log)

    def test_crash_as_json(self):
        self.write("x.nika", "fn main() {}\n")
        run = self.nikaia("check", "x.nika", "--pass-plugin", plugin("misbehaves"), "--message-format=json",
                          "--pass-option", "misbehaves:how=null")
        message, summary = run.messages()
        self.assertEqual(message["severity"], "internal")
        self.assertIn(self.LOOKING, message["message"])
        self.assertTrue(Path(self.folder, message["log"]).exists())
        self.assertEqual(summary["status"], 70)

    def test_what_it_did_not_announce(self):
        self.failing("read", self.LOOKING, "it read the fact `unannounced@1`, which it didn't announce")
        self.failing("provide", self.LOOKING, "it provided the fact `unannounced@1`")
        self.failing("option", self.LOOKING, "it asked for the option `unannounced`")
        self.failing("write", self.LOOKING, "is no emission pass")
        self.failing("code", "gave a message it hadn't announced, `XYZ0001`")
        self.failing("nothing", self.LOOKING, "it ended without providing the fact `promised@1`")

    def test_promise_kept(self):
        self.write("x.nika", "fn main() {}\n")
        self.check(self.nikaia("check", "x.nika", "--pass-plugin", plugin("misbehaves")), 0)


class Right(DriverTest):
    def rows(self, *words, **options):
        run = self.nikaia("passes", *words, **options)
        self.check(run, 0)
        return [line.split() for line in run.out.splitlines()[1:]]

    def test_order_is_a_function_of_the_set(self):
        a = ["--pass-plugin", str(plugin("counts"))]
        b = ["--pass-plugin", str(plugin("misbehaves"))]
        c = ["--pass-plugin", str(plugin("verbatim"))]
        first = self.nikaia("passes", *a, *b, *c).out
        self.assertEqual(first, self.nikaia("passes", *c, *b, *a).out)
        names = [row[1] for row in self.rows(*a, *b, *c)]
        self.assertLess(names.index("counts"), names.index("a-count-report"))
        self.assertEqual(len(names), len(set(names)))

    def test_a_file_given_twice_is_loaded_once(self):
        a = ["--pass-plugin", str(plugin("counts"))]
        self.assertEqual(self.rows(*a), self.rows(*a, *a))

    def test_what_a_line_holds(self):
        rows = {row[1]: row for row in self.rows("--pass-plugin", plugin("counts"), "--disable-pass",
                                                 "a-count-report")}
        self.assertEqual(rows["counts"][2:6], ["analysis", "tree", "optional", "on"])
        self.assertEqual(rows["counts"][6:], [str(plugin("counts")), "2", "-", "counts@1", "-"])
        self.assertEqual(rows["a-count-report"][5], "off")

    def test_findings_and_options(self):
        self.write("x.nika", "fn main() {}\n")
        words = ["check", "x.nika", "--pass-plugin", plugin("counts")]
        self.assertEqual(self.nikaia(*words).err, "")
        run = self.nikaia(*words, "--pass-option", "a-count-report:most=0")
        self.check(run, 0, "warning[CNT0001]: There are 1 files.", "= help: Write fewer.", "nikaia: 1 warning")
        run = self.nikaia(*words, "--pass-option", "a-count-report:most=0", "--disable-pass", "a-count-report")
        self.assertEqual(run.err, "")

    def test_times(self):
        self.write("x.nika", "fn main() {}\n")
        own = {"NIKAIA_CACHE_DIR": str(self.folder / "cache")}
        words = ["--pass-plugin", str(plugin("counts"))]
        run = self.nikaia("check", "x.nika", "--time-passes", *words, env=own)
        self.check(run, 0)
        self.assertRegex(run.err, r"(?m)^counts +\d+\.\d{3} ms$")
        self.assertRegex(run.err, r"(?m)^total +\d+\.\d{3} ms$")
        rows = {row[1]: row for row in self.rows(*words, env=own)}
        self.assertRegex(" ".join(rows["counts"]), r"\d+\.\d{3} ms$")


if __name__ == "__main__":
    unittest.main()
