"""What checking costs at most, in seconds of the processor, which other work on the machine hardly changes: of files
that mean harm, which are refused, and of long functions, whose checks must not grow faster than they do."""
import resource
import subprocess
import unittest

from driver import NIKAIA, DriverTest

BYTES = 10_000_000
HOSTILE = {
    "parens": "(", "quotes": '"', "brackets": "[", "braces": "{", "one_name": "a", "comments": "/*",
    "one_line": "fn main() { let a = " + "1 + " * (BYTES // 4) + "1 }",
    "calls": "fn main() { " + "f(" * (BYTES // 2),
    "types": "fn f(a: " + "Vec[" * (BYTES // 4),
}
STATEMENTS = 10_000
FALLIBLE = """\
enum Bad { One }
impl Error for Bad {
    fn message(ref self) -> String { return "bad" }
}
fn f(a: i64) -> i64 throws {
    throw Bad::One if a > 3
    return a
}
"""


def body(head, statements, foot=""):
    count = STATEMENTS // len(statements)
    lines = "".join("".join(f"    {s}\n" for s in statements).replace("#", str(i)) for i in range(count))
    return f"{head} {{\n    let mut sum: i64 = 0\n{lines}    println(f\"{{sum}}\")\n{foot}}}\n"


LONG = {
    "numbers": body("fn main()", ["let a# = sum * 2 + #", "sum = a# % 7", "if sum > # { sum -= 1 }", "for k in 0..<3 { sum += k }"]),
    "texts": body("fn main()", ['let s# = f"a{sum}"', "sum += s#.len()", 'let t# = s#', "if sum > # { sum -= 1 }"]),
    "views": body("fn main()", ['let s# = f"a{sum}"', "let v# = s#.trim()", "sum += v#.len()", "if sum > # { sum -= 1 }"]),
    "failures": FALLIBLE + body("fn main() throws", ['let s# = f"a{sum}"', "sum += f(#)", "sum += s#.len()", "sum -= 1"]),
}


class Cost(DriverTest):
    def cost_of(self, name, text):
        path = self.write(f"{name}.nika", text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([NIKAIA, "check", path], capture_output=True, text=True, env=self.environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done, seconds

    def test_hostile_files(self):
        for name, text in HOSTILE.items():
            with self.subTest(name):
                done, seconds = self.cost_of(name, text if len(text) > 2 else text * (BYTES // len(text)))
                self.assertEqual(done.returncode, 1, done.stderr[:2000])
                self.assertIn("error", done.stderr)
                self.assertLess(len(done.stderr), 20_000)
                self.assertLess(seconds, 1.0)

    def test_long_functions(self):
        for name, text in LONG.items():
            with self.subTest(name):
                done, seconds = self.cost_of(name, text)
                self.assertEqual(done.returncode, 0, done.stderr[:2000])
                self.assertLess(seconds, 1.0)


if __name__ == "__main__":
    unittest.main()
