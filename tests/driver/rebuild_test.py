"""What a change compiles again: each emitted file has in it what it mentions, and is made anew when that changes."""
from driver import *

MAIN = """\
fn main() {
    let boat = Boat::new("Ida", 3)
    println(f"{fare(boat)} {describe(Weather::Calm)} {berth(4)}")
    let due = owed(boat) catch { 0 }
    println(f"{due}")
}
"""
BOAT = """\
struct Boat {
    name: String,
    seats: i64,
}

impl Boat {
    fn new(name: String, seats: i64) -> Boat {
        return Boat { name, seats }
    }
}

fn fare(boat: ref Boat) -> i64 {
    return boat.seats * rate()
}
"""
RATE = """\
enum Unpaid { Twice, Often(i64) }

impl Error for Unpaid {
    fn message(ref self) -> String { return "unpaid" }
}

fn rate() -> i64 {
    return 7
}

fn owed(boat: ref Boat) -> i64 throws {
    if boat.seats > 100 {
        throw Unpaid::Often(boat.seats)
    }
    return boat.seats
}
"""
WEATHER = """\
enum Weather { Calm, Storm }

fn describe(weather: Weather) -> String {
    return match weather {
        Weather::Calm => "calm",
        Weather::Storm => "storm",
    }
}

fn berth(n: i64) -> i64 {
    return n + 1
}
"""
ALL = ["boat", "main", "rate", "weather"]


class Rebuild(DriverTest):
    def setUp(self):
        super().setUp()
        self.compiler = self.compiler_wrapper()
        self.project(source=MAIN)
        for name, text in (("boat", BOAT), ("rate", RATE), ("weather", WEATHER)):
            self.write(f"src/{name}.nika", text)
        self.assertEqual(self.compiled("21 calm 5\n3\n"), ALL)

    def compiled(self, out):
        """The source files whose C++ is compiled by a build of what stands there now, which prints `out`."""
        (self.folder / "calls").unlink(missing_ok=True)
        self.check(self.nikaia("run", env=self.compiler), 0, out=out)
        words = [word for line in self.calls() for word in line.split()]
        return sorted(Path(word).name.split(".")[1] for word in words if word.endswith(".cc"))

    def change(self, name, old, new):
        path = self.folder / f"src/{name}.nika"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def test_body(self):
        self.change("rate", "return 7", "return 8")
        self.assertEqual(self.compiled("24 calm 5\n3\n"), ["rate"])
        self.change("rate", "return 8", "return 7")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), [])

    def test_what_is_shown_is_what_was_built_last(self):
        for rate, out in (("8", "24 calm 5\n3\n"), ("7", "21 calm 5\n3\n"), ("8", "24 calm 5\n3\n")):
            self.write("src/rate.nika", RATE.replace("return 7", f"return {rate}"))
            self.check(self.nikaia("build"), 0)
            self.check(self.run_command([self.folder / "target/nikaia/dev/ferry"]), 0, out=out)
            self.assertIn(f"return {rate};", (self.folder / "target/nikaia/emitted/ferry.rate.cc").read_text())

    def test_lines_and_places_of_failure_that_move(self):
        self.change("rate", "    return 7", "    let seven = 7\n\n    return seven")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), ["rate"])
        self.change("boat", "fn fare(boat: ref Boat) -> i64 {", "fn fare(boat: ref Boat) -> i64 {\n    seated(boat) catch { return 0 }")
        self.change("boat", "impl Boat", "fn seated(boat: ref Boat) throws {\n    throw Unpaid::Twice if boat.seats == 3\n}\n\nimpl Boat")
        self.assertEqual(self.compiled("0 calm 5\n3\n"), ["boat"])

    def test_function_that_is_added_and_removed(self):
        self.change("weather", "    return n + 1", "    return n + one()")
        self.change("weather", "fn berth", "fn one() -> i64 { return 1 }\n\nfn berth")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), ["weather"])
        self.change("weather", "fn one() -> i64 { return 1 }\n\n", "")
        refused = self.nikaia("run", env=self.compiler)
        self.assertEqual(refused.status, 1)
        self.assertIn("one", refused.err)
        self.change("weather", "n + one()", "n + 1")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), [])
        emitted = (self.folder / "target/nikaia/emitted/ferry.weather.cc").read_text()
        self.assertNotIn("one()", emitted)

    def test_function_that_moves_to_another_file(self):
        berth = WEATHER[WEATHER.index("fn berth"):]
        self.change("weather", berth, "")
        self.write("src/rate.nika", RATE + "\n" + berth)
        self.assertNotIn("boat", self.compiled("21 calm 5\n3\n"))

    def test_signature(self):
        self.change("weather", "fn berth(n: i64) -> i64", "fn berth(n: i32) -> i32")
        self.change("main", "berth(4)", "berth(5)")
        self.assertEqual(self.compiled("21 calm 6\n3\n"), ["main", "weather"])

    def test_type(self):
        self.change("boat", "    seats: i64,\n", "    seats: i64,\n    length: i64,\n")
        self.change("boat", "name, seats }", "name, seats, length: seats }")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), ["boat", "main", "rate"])
        self.change("weather", "Calm, Storm", "Calm, Fog, Storm")
        self.change("weather", "        Weather::Storm", "        Weather::Fog => \"fog\",\n        Weather::Storm")
        self.assertEqual(self.compiled("21 calm 5\n3\n"), ["main", "weather"])

    def test_one_file_is_one_file(self):
        self.write("one.nika", "fn main() { println(\"one\") }\n")
        self.check(self.nikaia("lower", "one.nika", "--output", "lowered/one.cc"), 0)
        self.assertEqual([path.name for path in (self.folder / "lowered").iterdir()], ["one.cc"])


if __name__ == "__main__":
    unittest.main()
