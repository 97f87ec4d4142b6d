"""`ordering`: which adjacent reads become a pair, and what is said where the pass that makes them is left out."""
from driver import *

PAIRS = {
    'let a = fs::read(p, root)\n    let b = fs::read_to_string(q, root)': 1,
    'let a = fs::read("a", fs::Root::Anywhere)\n    let b = fs::read("b", fs::Root::Anywhere)': 1,
    'let a = fs::read(p, root)\n    let b = fs::read(q, root)\n    let c = fs::read(p, root)\n    let d = fs::read(q, root)': 2,
    'let a = fs::read(p, root)\n    let b = fs::read(q, root)\n    let c = fs::read(p, root)': 1,
    'fs::read(p, root)\n    fs::read(q, root)': 1,
    # Something between them, or more than the read in one of them.
    'let a = fs::read(p, root)\n    println("x")\n    let b = fs::read(q, root)': 0,
    'let a = fs::read(p, root)\n    let n = 5\n    let b = fs::read(q, root)': 0,
    'let a = fs::read(p, root).len()\n    let b = fs::read(q, root).len()': 0,
    'let a = fs::read(p, root)\n    fs::write(q, root, "x")': 0,
    # The second needs the first, or computes its argument.
    'let a = fs::read_to_string(p, root)\n    let b = fs::read(a, root)': 0,
    'let a = fs::read(p, root)\n    let b = fs::read(f"{q}x", root)': 0,
    'let names = ["a", "b"]\n    let a = fs::read(p, root)\n    let b = fs::read(names[1], root)': 0,
    # Failures that go different ways.
    'let a = fs::read_to_string(p, root) catch { "" }\n    let b = fs::read_to_string(q, root)': 0,
    'let a = fs::read_to_string(p, root)\n    let b = fs::read_to_string(q, root) catch { "" }': 0,
}


class Ordering(DriverTest):
    def pairs(self, body, ordering, *words):
        self.project(manifest=f'[build]\nordering = "{ordering}"\n', source=f"""use std::fs
fn pair(p: ref String, q: ref String, root: ref fs::Root) throws {{
    {body}
}}
fn main() throws {{ pair("a", "b", fs::Root::Anywhere) }}
""")
        shutil.rmtree(self.folder / "target", ignore_errors=True)
        run = self.nikaia("build", *words)
        self.assertEqual(run.status, 0, run.err)
        emitted = next((self.folder / "target/nikaia/cache/emitted").glob("*/ferry.main.cc"))
        return emitted.read_text().count("nikaia::rt::pair"), run

    def test_which_reads_are_paired(self):
        for body, count in PAIRS.items():
            with self.subTest(body=body):
                self.assertEqual(self.pairs(body, "effects")[0], count)

    def test_nothing_is_paired_by_default(self):
        self.assertEqual(self.pairs(next(iter(PAIRS)), "strict")[0], 0)

    def test_the_pass_can_be_left_out_with_a_note(self):
        count, run = self.pairs(next(iter(PAIRS)), "effects", "--disable-pass", "pair-reads")
        self.assertEqual(count, 0)
        self.assertIn('`ordering = "effects"` has no effect: the pass `pair-reads` is switched off.', run.err)

    def test_a_pair_is_one_submission(self):
        if shutil.which("strace") is None:
            self.skipTest("strace is not installed")
        source = """use std::fs
fn main() throws {
    let root = fs::Root::Dir(".")
    let a = fs::read_to_string("a.txt", root)
    let b = fs::read_to_string("b.txt", root)
    println(f"{a}{b}")
}
"""
        self.write("a.txt", "A")
        self.write("b.txt", "B")
        config = self.write("uring.toml", 'io-method = "uring"\n')
        enters = {}
        for ordering in ("strict", "effects"):
            self.project(manifest=f'[build]\nordering = "{ordering}"\n', source=source)
            self.check(self.nikaia("build"), 0)
            program = self.folder / "target/nikaia/dev/ferry"
            trace = self.folder / "trace"
            run = self.run_command(["strace", "-f", "-e", "trace=io_uring_enter", "-o", trace, program],
                                   env={"NIKAIA_RUNTIME_CONFIG": str(config)})
            if run.status == 78 or "ptrace" in run.err:
                self.skipTest("the ring or tracing is not allowed here")
            self.check(run, 0, out="AB\n")
            enters[ordering] = sum("io_uring_enter(" in line for line in trace.read_text().splitlines())
        self.assertEqual(enters, {"strict": 0, "effects": 1})


if __name__ == "__main__":
    unittest.main()
