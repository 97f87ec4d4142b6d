"""nikaia.toml: every fault is found at its place, and what it says takes effect."""
from driver import *


class Manifest(DriverTest):
    def faults(self, text):
        self.write("nikaia.toml", text)
        self.write("src/main.nika", HELLO)
        run = self.nikaia("check", "--message-format", "json")
        self.assertEqual(run.status, 1, run.err)
        found = []
        for message in run.messages()[:-1]:
            self.assertIsNone(message["code"])
            self.assertEqual(message["severity"], "error")
            self.assertTrue(message["helps"], message)
            spans = message["spans"]
            self.assertEqual(len(spans), 1)
            span = spans[0]
            marked = text.encode()[span.get("byte_start", 0):span.get("byte_end", 0)].decode()
            found.append((marked, message["message"], message["helps"][0]["message"]))
        return found

    PACKAGE = '[package]\nname = "ferry"\nversion = "0.1.0"\n'

    def one_fault(self, text, marked, *parts):
        found = self.faults(text)
        self.assertEqual(len(found), 1, found)
        self.assertEqual(found[0][0], marked)
        for part in parts:
            self.assertIn(part, found[0][1] + " " + found[0][2])

    def test_layout(self):
        self.write("nikaia.toml", '[package]\nname = "ferry"\nversion = "0.1.0"\n\n[build]\nordering = "efects"\n')
        run = self.nikaia("check")
        self.assertEqual(run.err, """\
error: `ordering` can't be `efects`.
 --> nikaia.toml:6:12
  |
6 | ordering = "efects"
  |            ^^^^^^^^
  |
  = help: Did you mean `"effects"`? It takes `"strict"` or `"effects"`.
nikaia: 1 error
""".replace(" -->", "  -->").replace("\n  |", "\n   |").replace("\n6 |", "\n 6 |").replace("\n  =", "\n   ="))

    def test_unknown_keys_and_tables(self):
        self.one_fault(self.PACKAGE + "[bild]\n", "bild", "no table `[bild]`", "`build`")
        self.one_fault('nmae = 1\n' + self.PACKAGE, "nmae", "outside the tables")
        self.one_fault(self.PACKAGE + 'nmae = "x"\n', "nmae", "no key `nmae`", "`name`")
        self.one_fault(self.PACKAGE + '[build]\nzzzzzzzz = 1\n', "zzzzzzzz", "The keys of `[build]` are")
        self.one_fault(self.PACKAGE + '[build.wasm32-unknown]\n', "wasm32-unknown",
                       "a target I don't know", "`x86_64-linux`", "`aarch64-linux`")
        self.one_fault(self.PACKAGE + '[build.x86_64-linux]\nlot = true\n', "lot", "`lto`")

    def test_wrong_values(self):
        build = self.PACKAGE + "[build]\n"
        for line, marked, part in [
                ('target = "wasm32-unknown"', '"wasm32-unknown"', '`"x86_64-linux"` or `"aarch64-linux"`'),
                ('target = 3', '3', "takes text in quotes, and this is a whole number"),
                ('user-parallelism = true', 'true', "`true` or `false`"),
                ('user-parallelism = "maybe"', '"maybe"', '`"no"` or `"yes"`'),
                ('reentrancy-check = "of"', '"of"', '`"on"`'),
                ('ordering = "effect"', '"effect"', 'Did you mean `"effects"`'),
                ('artifact = "library"', '"library"', '`"program"` or `"c-library"`'),
                ('passes = "a"', '"a"', "a list of texts"),
                ('passes = ["a", 3]', '3', "this entry is a whole number"),
                ('optimization = "remove-bounds-check:on"', '"remove-bounds-check:on"', "remove-bounds-checks"),
                ('optimization = "remove-bounds-checks:yes"', '"remove-bounds-checks:yes"', "`on` or `off`"),
                ('refuted-claims = "warning"', '"warning"', '`"error"` or `"warn"`'),
                ('symbol-prefix = "a-b"', '"a-b"', "beginning with a letter")]:
            with self.subTest(line):
                self.one_fault(build + line + "\n", marked, part)
        self.one_fault(self.PACKAGE + '[build.x86_64-linux]\nopt-level = 7\n', "7", '`"s"`')
        self.one_fault(self.PACKAGE + '[build.aarch64-linux]\nlto = "yes"\n', '"yes"', "`true` or `false`")

    def test_package(self):
        self.one_fault('[build]\n', "", "no table `[package]`")
        self.one_fault('[package]\nversion = "0.1.0"\n', "package", "has no `name`")
        self.one_fault('[package]\nname = "a"\n', "package", "has no `version`")
        self.one_fault('[package]\nname = "1a"\nversion = "0.1.0"\n', '"1a"', "can't be a package's name")
        self.one_fault('[package]\nname = "a"\nversion = "1.0"\n', '"1.0"', "isn't a version")

    def test_not_toml(self):
        found = self.faults('[package\nname = "x"\n')
        self.assertEqual(len(found), 1)
        self.assertIn("isn't TOML", found[0][1])

    def test_all_faults_at_once_in_order(self):
        found = self.faults('[package]\nname = 1\nversion = "x"\n[build]\nordering = "a"\nfoo = 1\n')
        self.assertEqual([f[0] for f in found], ["1", '"x"', '"a"', "foo"])

    def test_columns_count_characters(self):
        self.write("nikaia.toml", '[package]\nname = "ferry" # é\nversion = "0.1.0"\nauthors = ["é", 3]\n')
        run = self.nikaia("check", "--message-format", "json")
        span = run.messages()[0]["spans"][0]
        self.assertEqual((span["line"], span["column"], span["byte_start"]), (4, 17, 65))

    def test_dependencies(self):
        deps = self.PACKAGE + "[dependencies]\n"
        self.one_fault(deps + 'a-b = { path = "x" }\n', "a-b", "`use`")
        self.one_fault(deps + 'a = "1.2"\n', '"1.2"', "by version", '`a = { path = "../a" }`')
        self.one_fault(deps + 'a = { git = "x" }\n', '{ git = "x" }', "repository", "path")
        self.one_fault(deps + 'a = { }\n', "a", "where it comes from")
        self.one_fault(deps + 'a = { path = "a", pth = 1 }\n', "pth", "no key `pth`")
        self.one_fault(deps + 'z = { type = "d", link = ["z"] }\n', '"d"', '`"c"` or `"c++"`')
        self.one_fault(deps + 'z = { type = "c" }\n', "z", "`pkg-config`, `path` and `link`")
        self.one_fault(deps + 'a = { path = "nowhere" }\n', "a", "no `nikaia.toml` is there")

    def test_ring(self):
        self.write("nikaia.toml", self.PACKAGE + '[dependencies]\nb = { path = "b" }\n')
        self.write("src/main.nika", HELLO)
        self.write("b/nikaia.toml", self.PACKAGE.replace("ferry", "b") + '[dependencies]\nc = { path = "../c" }\n')
        self.write("b/src/b.nika", "")
        self.write("c/nikaia.toml", self.PACKAGE.replace("ferry", "c") + '[dependencies]\nb = { path = "../b" }\n')
        self.write("c/src/c.nika", "")
        run = self.nikaia("check")
        self.check(run, 1, "in a ring: `b` → `c` → `b`", "c/nikaia.toml:5:1")

    def test_no_source(self):
        self.write("nikaia.toml", self.PACKAGE)
        self.check(self.nikaia("check"), 1, "The package `ferry` has no source file.", "src/main.nika")

    def test_notes(self):
        self.write("nikaia.toml", self.PACKAGE + '[build]\ncleanup-deadline = "5s"\n'
                   '[dependencies]\nb = { path = "b" }\n')
        self.write("src/main.nika", HELLO)
        self.write("b/nikaia.toml", self.PACKAGE.replace("ferry", "b") + '[build]\nordering = "effects"\n')
        self.write("b/src/b.nika", "fn main() {}\n")
        run = self.nikaia("build", *VERBATIM)
        self.check(run, 0, "note: `fn main` of the package `b` is left out", "note: `cleanup-deadline` in `nikaia.toml` has no effect.", "nikaia-runtime.toml",
                   "note: `[build]` of the package `b` has no effect here")

    def test_nearest_manifest_counts(self):
        self.project()
        (self.folder / "src/deep").mkdir()
        self.check(self.nikaia("run", *VERBATIM, cwd=self.folder / "src/deep"), 0, out="hello\n")
        self.check(self.nikaia("run", *VERBATIM, "--project", self.folder, cwd="/"), 0, out="hello\n")

    def test_only_the_entry_point_runs(self):
        self.project()
        self.write("src/other.nika", "fn other() {}\n")
        self.check(self.nikaia("run", "src/other.nika"), 1, "belongs to the project `ferry`", "src/main.nika")
        self.check(self.nikaia("run", *VERBATIM, "src/main.nika"), 0, out="hello\n")

    def test_sources_that_cannot_be_read(self):
        self.project()
        (self.folder / "src/bad.nika").write_bytes(b"fn \xff() {}\n")
        self.check(self.nikaia("check"), 1, "`src/bad.nika` isn't UTF-8: its byte 3")


class Create(DriverTest):
    def test_project(self):
        self.check(self.nikaia("new", "ferry"), 0)
        made = sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())
        self.assertEqual(made, ["ferry/.gitignore", "ferry/nikaia.toml", "ferry/src/main.nika"])
        self.assertEqual((self.folder / "ferry/.gitignore").read_text(), "target/\n.nikaia/\n")
        self.check(self.nikaia("check", "--project", "ferry"), 0)
        self.check(self.nikaia("new", "ferry"), 1, "`ferry` exists already and isn't empty.")
        (self.folder / "empty").mkdir()
        self.check(self.nikaia("new", "empty"), 0)
        self.check(self.nikaia("new", "1st"), 1, "`1st` can't be a name.")

    def test_plugins(self):
        self.check(self.nikaia("new", "--pass", "tidy"), 0)
        self.assertTrue((self.folder / "tidy/CMakeLists.txt").exists())
        self.assertIn('"tidy"', (self.folder / "tidy/pass.cc").read_text())
        self.check(self.nikaia("new", "--backend", "slow"), 0)
        self.assertIn('"slow"', (self.folder / "slow/backend.c").read_text())


if __name__ == "__main__":
    unittest.main()
