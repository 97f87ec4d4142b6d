"""The reports `--overlaps`, `--sharing`, `--tethers`: what the switches do, and what each report says."""
from driver import *

EVERYTHING = """\
struct Note { text: ref String }

fn head() -> ref String {
    let page = "three four".clone()
    return page.trim()
}

fn main() {
    let page = "one two".clone()
    let note = Note { text: page.trim() }
    let total = SharedMut(0)
    let task = spawn fn { total.update fn(mut v) { v = v + 1 } }
    task.join()
    let (a, b) = overlap {
        page.len()
        note.text.len()
    }
    println(f"{a} {b} {head()}")
}
"""
NOTHING = "fn main() { println(\"still\") }\n"
BOTH = ("no", "yes")


class Switches(DriverTest):
    def test_nothing_to_report(self):
        self.write("x.nika", NOTHING)
        self.check(self.nikaia("check", "x.nika", "--tethers"), 0, out="tethers: no view keeps a buffer\n")
        self.check(self.nikaia("check", "x.nika", "--overlaps"), 0, out="overlaps: 0 overlaps and 0 selects\n")
        self.check(self.nikaia("check", "x.nika", "--sharing"), 0,
                   out="sharing: 0 places that make a shared value, 0 places that duplicate a handle\n")

    def test_order_of_the_switches(self):
        self.write("x.nika", NOTHING)
        for names in (["tethers", "overlaps", "sharing"], ["sharing", "tethers", "overlaps"], ["overlaps", "tethers"]):
            run = self.nikaia("check", "x.nika", *[f"--{name}" for name in names], f"--{names[0]}")
            self.check(run, 0)
            self.assertEqual([line.split(":")[0] for line in run.out.splitlines()], names)

    def test_check_writes_nothing(self):
        self.project(source=EVERYTHING)
        run = self.nikaia("check", "--tethers", "--sharing", "--overlaps")
        self.check(run, 0)
        self.assertIn("tethers: 1 place keeps a buffer\n", run.out)
        self.assertFalse((self.folder / "target").exists())

    def test_build_reports_also_where_nothing_changed(self):
        self.project(source=EVERYTHING)
        first = self.nikaia("build", "--overlaps")
        self.check(first, 0)
        self.assertIn("overlaps: 1 overlap and 0 selects", first.out)
        self.check(self.nikaia("build", "-v"), 0, "unchanged: ", out="")
        self.assertEqual(self.nikaia("build", "--overlaps").out, first.out)
        self.check(self.nikaia("build", "-v"), 0, "unchanged: ", out="")

    def emitted(self):
        folder = self.folder / "target/nikaia/emitted"
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def test_no_emitted_byte_changes(self):
        self.project(source=EVERYTHING)
        for setting in BOTH:
            words = ["--user-parallelism", setting]
            self.check(self.nikaia("build", *words), 0)
            plain = self.emitted()
            shutil.rmtree(self.folder / "target")
            self.check(self.nikaia("build", *words, "--overlaps", "--sharing", "--tethers"), 0)
            self.assertEqual(plain, self.emitted())
            shutil.rmtree(self.folder / "target")

    def test_lower(self):
        self.write("x.nika", EVERYTHING)
        self.check(self.nikaia("lower", "x.nika", "--output", "plain.cc"), 0, out="")
        files = {path.name for path in self.folder.iterdir()}
        run = self.nikaia("lower", "x.nika", "--output", "reported.cc", "--tethers", "--overlaps")
        self.check(run, 0)
        self.assertLess(run.out.index("tethers: 1 "), run.out.index("overlaps: 1 "))
        self.assertEqual((self.folder / "plain.cc").read_bytes(), (self.folder / "reported.cc").read_bytes())
        self.assertEqual({path.name for path in self.folder.iterdir()}, files | {"reported.cc"})

    def test_beside_another_emission(self):
        self.write("x.nika", EVERYTHING)
        run = self.nikaia("lower", "x.nika", "--emit", "nir", "--output", "x.nir", "--tethers")
        self.check(run, 0)
        self.assertTrue((self.folder / "x.nir").read_text().startswith("// x.nika"))
        self.assertIn("tethers: 1 ", run.out)

    def test_the_same_bytes_every_time(self):
        self.project(source=EVERYTHING)
        words = ["check", "--overlaps", "--sharing", "--tethers"]
        outs = {self.nikaia(*words).out for _ in range(4)}
        self.assertEqual(len(outs), 1)
        self.assertNotIn(str(self.folder), outs.pop())

    def test_files_are_named_as_in_messages(self):
        self.project("north", source=EVERYTHING)
        self.assertIn("north/src/main.nika:14: overlap", self.nikaia("check", "--project", "north", "--overlaps").out)
        self.assertIn("src/main.nika:14: overlap",
                      self.nikaia("check", "--overlaps", cwd=self.folder / "north").out)
        (self.folder / "other").mkdir()
        away = self.nikaia("check", "--project", self.folder / "north", "--overlaps", cwd=self.folder / "other")
        self.assertTrue(away.out.startswith("src/main.nika:14: overlap"), away.out)

    def test_a_refused_program_has_no_report(self):
        self.project(source=EVERYTHING.replace("println(", "printl("))
        for words in (["check"], ["build"]):
            run = self.nikaia(*words, "--overlaps", "--sharing", "--tethers")
            self.check(run, 1, "error", out="")
        self.write("x.nika", "fn main( {\n")
        self.check(self.nikaia("lower", "x.nika", "--tethers"), 1, out="")

    def test_warnings_go_beside_it(self):
        self.write("x.nika", NOTHING)
        run = self.nikaia("check", "x.nika", "--tethers", "--pass-plugin", plugin("counts"),
                          "--pass-option", "a-count-report:most=0")
        self.check(run, 0, "warning[CNT0001]", out="tethers: no view keeps a buffer\n")

    def test_what_is_refused(self):
        self.write("x.nika", NOTHING)
        for name in ("trust", "comptime", "asserts", "bounds"):
            self.check(self.nikaia("check", "x.nika", "--tethers", f"--{name}"), 1,
                       f"The report `--{name}` isn't built yet.", out="")
        self.check(self.nikaia("lower", "x.nika", "--after", "lower", "--tethers"), 2,
                   "`--after` and `--tethers` don't go together")
        self.check(self.nikaia("run", "x.nika", "--tethers"), 2, "has no switch `--tethers`")
        self.check(self.nikaia("lower", "x.nika", "--emit", "tethers"), 1, "no emission pass `emit-tethers`",
                   "`--emit` takes `cpp` and `nir`.")
        self.check(self.nikaia("check", "x.nika", "--pass-plugin", plugin("report-with-cpp")), 1,
                   "the pass `report-with-cpp` is a report, and a report produces no C++")

    def test_the_passes(self):
        rows = {row[1]: row for row in map(str.split, self.nikaia("passes").out.splitlines()[1:])}
        for name in ("overlaps", "sharing", "tethers"):
            self.assertEqual(rows[f"report-{name}"][2:6], ["emission", "nir", "optional", "off"])
        self.write("x.nika", NOTHING)
        run = self.nikaia("check", "x.nika", "--tethers", "--sharing", "--disable-pass", "report-tethers")
        self.check(run, 0)
        self.assertTrue(run.out.startswith("sharing: "), run.out)


class Contents(DriverTest):
    def report(self, name, source, setting="no", status=0):
        self.write("x.nika", source)
        run = self.nikaia("check", "x.nika", f"--{name}", "--user-parallelism", setting)
        self.check(run, status)
        return run.out.splitlines()

    def both(self, name, source, lines):
        """At both settings the report begins with these lines."""
        for setting in BOTH:
            found = self.report(name, source, setting)
            self.assertEqual(found[:len(lines)], lines, "\n".join(found))

    def test_overlaps(self):
        self.both("overlaps", """\
use std::fs
use std::time
fn main() throws {
    let here = fs::Root::Dir(".")
    let (a, b, c) = overlap {
        fs::read_to_string("a.txt", here)
        fs::read_to_string("a.txt", here)
        { time::sleep(1.millis())
          3 }
    }
    select {
        _ = time::sleep(1.millis()) => { println(f"{a} {b} {c}") }
        _ = time::sleep(2.seconds()) => { println("late") }
    }
}
""", ["x.nika:5: overlap of 3 branches in `main`: no two meet, so they may run in parallel",
      "x.nika:6:     branch 1, `fs::read_to_string(\"a.txt\", here)`: touches file(\"a.txt\") read; can pause",
      "x.nika:7:     branch 2, `fs::read_to_string(\"a.txt\", here)`: touches file(\"a.txt\") read; can pause",
      "x.nika:8:     branch 3, `{ time::sleep(1.millis()) …`: calls what may reach anything; can pause",
      "x.nika:11: select of 2 arms in `main`: the arms take turns on one thread",
      "x.nika:12:     arm 1, `time::sleep(1.millis())`: calls what may reach anything; can pause",
      "x.nika:13:     arm 2, `time::sleep(2.seconds())`: calls what may reach anything; can pause"])

    READS = """\
use std::fs
fn work(p: ref String, q: ref String, root: ref fs::Root) throws {
    let a = fs::read(p, root)
    let b = fs::read_to_string(q, root)
    let c = fs::read_to_string(b, root)
    println(f"{a.len()} {c}")
    let d = fs::read_to_string(p, root) catch { "" }
    let e = fs::read_to_string(q, root)
    println(f"{d} {e}")
    let f = fs::read(f"{p}x", root)
    let g = fs::read(q, root).len()
    println(f"{f.len()} {g}")
    fs::read(p, root)
    fs::read(f"{q}x", root)
}
fn main() throws { work("a", "b", fs::Root::Anywhere) }
"""

    def ordered(self, ordering, *words):
        self.project(source=self.READS, manifest=f'[build]\nordering = "{ordering}"\n')
        run = self.nikaia("check", "--overlaps", *words)
        self.check(run, 0)
        return run.out.splitlines()

    def test_pairs_of_reads(self):
        self.assertEqual(self.ordered("effects"), [
            "src/main.nika:3: pair of reads, `fs::read(p, root)` and `fs::read_to_string(q, root)`: "
            "submitted together, in written order where the I/O backend has no completions",
            "src/main.nika:4: reads in written order, `fs::read_to_string(q, root)` and "
            "`fs::read_to_string(b, root)`: the first of them is half of a pair already",
            "src/main.nika:7: reads in written order, `fs::read_to_string(p, root)` and "
            "`fs::read_to_string(q, root)`: one of them stands under a `catch`",
            "src/main.nika:10: reads in written order, `fs::read(f\"{p}x\", root)` and `fs::read(q, root)`: "
            "one of the statements does more than read",
            "src/main.nika:13: reads in written order, `fs::read(p, root)` and `fs::read(f\"{q}x\", root)`: "
            "making `f\"{q}x\"` is more than naming a value",
            "overlaps: 0 overlaps and 0 selects; 1 pair of reads"])

    def test_reads_that_need_one_another(self):
        self.project(manifest='[build]\nordering = "effects"\n', source="""\
use std::fs
fn main() throws {
    let name = fs::read_to_string("a", fs::Root::Anywhere)
    let text = fs::read_to_string(name, fs::Root::Anywhere)
    println(text)
}
""")
        run = self.nikaia("check", "--overlaps")
        self.assertIn(": the second needs `name`, which the first makes\n", run.out)
        self.assertIn("; 0 pairs of reads\n", run.out)

    def test_reads_without_the_pass(self):
        self.assertEqual(self.ordered("strict"), ["overlaps: 0 overlaps and 0 selects"])
        left_out = self.ordered("effects", "--disable-pass", "pair-reads")
        self.assertTrue(left_out[0].endswith(": the pass `pair-reads` left them"), left_out[0])
        self.assertTrue(left_out[-1].endswith("; 0 pairs of reads"), left_out[-1])

    def test_a_block_in_a_generic_function_is_told_once(self):
        found = self.report("overlaps", """\
fn twice[T](x: T, y: T) -> i64 {
    let (a, b) = overlap {
        1 + 1
        2 + 2
    }
    return a + b
}
fn main() { println(f"{twice(1, 2)} {twice("a", "b")} {twice(true, false)}") }
""")
        self.assertEqual(sum("overlap of" in line for line in found), 1, found)
        self.assertEqual(found[-1].split(";")[0], "overlaps: 1 overlap and 0 selects")

    def test_sharing(self):
        source = """\
struct Atlas { name: String }
struct Shelf { atlas: Shared[Atlas] }
fn make() -> Shared[Atlas] { return Shared(Atlas { name: "north" }) }
fn main() {
    let atlas = make()
    let still = Shared(Atlas { name: "south" })
    let shelf = Shelf { atlas: atlas }
    let total = SharedMut(0)
    let task = spawn fn { println(shelf.atlas.name)  total.update fn(mut v) { v = v + 1 } }
    task.join()
    println(f"{still.name} {total.get()}")
}
"""
        for setting in BOTH:
            found = self.report("sharing", source, setting)
            text = "\n".join(found)
            self.assertRegex(text, r"(?m)^x\.nika:3: `Shared\[Atlas\]` made in `make`: count plain, because ")
            self.assertIn("x.nika:3:     with tasks on several threads the count would have to be atomic: "
                          "a task takes it at x.nika:9", found)
            self.assertRegex(text, r"(?m)^x\.nika:6: `Shared\[Atlas\]` made in `main`: count plain, because ")
            self.assertIn("x.nika:6:     with tasks on several threads the count could stay so: "
                          "no task, branch or channel takes it", found)
            self.assertIn("x.nika:7: handle duplicated: `atlas`, a `Shared[Atlas]`, for the field `atlas` of `Shelf`",
                          found)
            self.assertRegex(text, r"(?m)^x\.nika:8: `SharedMut\[i32\]` made in `main`: count plain, because ")
            self.assertRegex(text, r"(?m)^x\.nika:8:     lock: a cell with an \"open\" flag, because ")
            self.assertIn("x.nika:9: handle duplicated: `total`, a `SharedMut[i32]`, for a task", found)
            self.assertEqual(found[-1], "sharing: 3 places that make a shared value, 2 places that duplicate a handle")
            self.assertNotIn("count atomic", text)

    def test_sharing_of_a_lock_alone(self):
        self.both("sharing", """\
struct Meter { total: Locked[i64] }
fn main() {
    let meter = Meter { total: Locked(0) }
    println(f"{meter.total.get()}")
}
""", ["x.nika:3: `Locked[i64]` made in `main`: no count, because a `Locked` has one owner"])

    def test_what_crosses(self):
        found = self.report("sharing", """\
use std::channel
use std::task
fn main() throws {
    let sent = Shared(1)
    let scoped = Shared(2)
    let branched = Shared("three")
    let (tx, rx) = channel::bounded(1)
    tx.send(sent)
    task::scope fn(s) { s.spawn fn { println(f"{scoped}") } }
    let (a, b) = overlap {
        branched.len()
        2
    }
    println(f"{a} {b}")
}
""", "yes")
        crossing = {line.split(":")[1]: line for line in found if "several threads" in line}
        self.assertIn("a channel takes it at x.nika:8", crossing["4"])
        self.assertIn("a task of a scope takes it at x.nika:9", crossing["5"])
        self.assertIn("a branch of an `overlap` takes it at x.nika:11", crossing["6"])

    def test_tethers(self):
        self.both("tethers", """\
struct Word { text: ref String }
enum Token { Name(ref String), End }
struct Label { text: String }
fn word(line: ref String) -> Word { return Word { text: line.trim() } }
fn first() -> ref String {
    let page = "a b".clone()
    return page.trim()
}
fn label(line: ref String) -> Label { return Label { text: line.trim() } }
fn main() {
    let page = "x y".clone()
    let mut words: Vec[Word] = Vec()
    for part in page.split(" ") { words.push(word(part)) }
    let token = Token::Name(page.trim())
    let part = page.trim()
    let task = spawn fn { println(part) }
    task.join()
    let lines: Vec[ref String] = page.lines().collect()
    let kept: String = page.trim()
    println(f"{words.len()} {lines.len()} {kept} {label(page).text} {first()}")
    match token { Token::Name(n) => println(n), Token::End => println("end") }
}
""", ["x.nika:7: the result of `first` keeps the buffer of `page` (x.nika:6)",
      "x.nika:9: the field `text` of `Label` keeps the buffer that the parameter `line` points into",
      "x.nika:16: a task keeps the buffer of `page` (x.nika:11)",
      "x.nika:18: an element of what `collect` makes keeps the buffer of `page` (x.nika:11)",
      "x.nika:19: `kept` keeps the buffer of `page` (x.nika:11)",
      "tethers: 5 places keep a buffer"])

    def test_fields_that_count_since_one_value_escapes(self):
        self.both("tethers", """\
struct Word { text: ref String }
enum Token { Name(ref String), End }
fn last(page: ref String) -> Word {
    let mut found = Word { text: "none" }
    for part in page.split(" ") { found = Word { text: part } }
    return found
}
fn own() -> Word {
    let page = "a b".clone()
    return last(page)
}
fn token(n: i64) -> Token {
    if n == 0 { return Token::End }
    let page = f"name {n}"
    return Token::Name(page.trim())
}
fn main() {
    let mut line: ref String = "none"
    for n in 0..2 {
        let text = f" {n} "
        line = text.trim()
    }
    println(f"{own().text} {line}")
    match token(1) { Token::Name(n) => println(n), Token::End => println("end") }
}
""", ["x.nika:5: the field `text` of `Word` keeps the buffer that the parameter `page` points into",
      "x.nika:10: the result of `own` keeps the buffer of `page` (x.nika:9)",
      "x.nika:15: the result of `token` keeps the buffer of `page` (x.nika:14)",
      "x.nika:15: the variant `Token::Name` keeps the buffer of `page` (x.nika:14)",
      "x.nika:21: `line` keeps the buffer of `text` (x.nika:20)",
      "x.nika:24: `n` keeps the buffer of `token(1)` (x.nika:24)",
      "tethers: 6 places keep a buffer"])

    def test_what_keeps_nothing(self):
        self.both("tethers", """\
struct Word { text: ref String }
struct Label { text: String }
fn pick(a: ref String, b: ref String) -> ref String { if a.len() > 2 { a } else { b } }
fn main() {
    let page = "x y".clone()
    let literal = Word { text: "in the program" }
    let own = Label { text: page.trim().clone() }
    for part in page.split(" ") { println(pick(part.trim(), "b")) }
    let view = page.trim()
    println(f"{literal.text} {own.text} {view}")
}
""", ["tethers: no view keeps a buffer"])


if __name__ == "__main__":
    unittest.main()
