"""`nikaia interpret`: executes a file and writes none."""
from driver import *

BELLS = """\
struct Bell { tone: String }

impl Drop for Bell {
    fn drop(ref mut self) { println(f"drop {self.tone}") }
}

fn main() {
    let mut last = Bell { tone: "a".clone() }
    for n in 1..3 { last = Bell { tone: f"b{n}" } }
    println(last.tone)
}
"""


class Interpret(DriverTest):
    def test_prints_what_the_program_prints_and_writes_nothing(self):
        self.write("x.nika", BELLS)
        before = sorted(self.folder.iterdir())
        run = self.nikaia("interpret", "x.nika")
        self.check(run, 0)
        self.assertEqual(run.out, "drop a\ndrop b1\ndrop b2\nb3\ndrop b3\n")
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_what_is_refused_does_not_run(self):
        self.write("x.nika", "fn main() {\n    let a = f\"{1}\"\n    let b = a\n    println(a)\n}\n")
        run = self.nikaia("interpret", "x.nika")
        self.check(run, 1, "NK2105")
        self.assertEqual(run.out, "")

    def test_what_it_does_not_have_is_named(self):
        self.write("x.nika", "use std::time\n\nfn main() {\n    println(\"before\")\n    time::sleep(1.millis())\n}\n")
        run = self.nikaia("interpret", "x.nika")
        self.check(run, 1, "The interpreter doesn't have `", "`nikaia run` compiles the program")
        self.assertEqual(run.out, "before\n")

    def test_a_panic_and_a_failure(self):
        self.write("x.nika", "fn main() {\n    let xs = [1]\n    println(f\"{xs[xs.len()]}\")\n}\n")
        self.check(self.nikaia("interpret", "x.nika"), 134, "The program panics: index out of bounds (x.nika:3).")
        self.write("y.nika", "enum Oops { Bad }\nimpl Error for Oops { fn message(ref self) -> String { return \"bad\".clone() } }\n"
                             "fn main() throws { throw Oops::Bad }\n")
        self.check(self.nikaia("interpret", "y.nika"), 1, "error: bad")

    def test_a_file_is_needed(self):
        self.check(self.nikaia("interpret"), 2, "executes one file")


if __name__ == "__main__":
    unittest.main()
