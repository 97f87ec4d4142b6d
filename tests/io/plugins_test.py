"""The backends in plugins/ build against the installation alone, conform, and serve programs; with one of them every
operation of a program fails in turn, and nothing is lost by it."""
from io_tests import *

# Everything is done by a task, so that nothing is idle and every operation reaches the backend. The descriptors are
# counted by `main` alone, which asks no backend.
WORK = """
use std::fs
use std::io

fn work() -> String throws {
    let here = fs::Root::Dir(".")
    fs::create_dir("d/e", here; recursive: true)
    fs::write("d/one.txt", here, "one\\n")
    fs::write("d/e/two.txt", here, "two\\n")
    fs::write("d/one.txt", here, "more\\n"; append: true)
    let (one, two) = overlap {
        fs::read_to_string("d/one.txt", here)
        fs::read_to_string("d/e/two.txt", here)
    }
    let mut writer = fs::create("d/three.txt", here)
    writer.write(one)
    writer.flush()
    writer.close()
    let mut file = fs::open("d/three.txt", here; write: true)
    let mut into: Vec[u8] = [0, 0, 0]
    let count = file.read(into)
    let at = file.seek(fs::Seek::End(0))
    file.write("end")
    file.close()
    fs::copy("d/three.txt", "d/four.txt", here)
    fs::rename("d/four.txt", "d/five.txt", here)
    let long = fs::metadata("d/five.txt", here).len()
    let names = fs::walk("d", here).join(" ")
    fs::remove("d", here; recursive: true)
    return f"{one.len()} {two.len()} {count > 0} {at} {long} {names}"
}

fn descriptors() -> i64 throws {
    let mut count = 0
    for name in fs::read_dir("/proc/self/fd", fs::Root::Anywhere) { count += if name == "" { 0 } else { 1 } }
    return count
}

fn main() throws {
    let before = descriptors()
    let task = spawn fn { work() }
    let said = task.join() catch { "failed" }
    println(said)
    println(f"{descriptors() == before}")
}
"""
PRINTED = "9 4 true 9 12 e/two.txt five.txt one.txt three.txt\ntrue\n"


class Plugins(IoTest):
    def test_they_pass_their_own_tests(self):
        for name in ("latency", "epoll-c"):
            made = self.plugin_of_others(name)
            done = self.run_command(["ctest", "--test-dir", made, "--output-on-failure"], timeout=1000)
            self.assertEqual(done.status, 0, done.out + done.err)

    def test_a_third_partys_backend_serves(self):
        made = self.plugin_of_others("epoll-c")
        env = {**self.pinned("epoll-c"), "NIKAIA_BACKEND_PATH": str(made), "NIKAIA_BACKEND_TRUST": "1",
               "NIKAIA_RUNTIME_REPORT": "1"}
        run = self.run_command([self.program(WORK)], env=env)
        self.check(run, 0, "io-method=epoll-c", out=PRINTED)

    def test_an_installation_finds_both_and_serves_alone(self):
        """Beside the prefix nothing of the build is looked at: the command, its programs and both plugins are of it."""
        made = [self.plugin_of_others(name) for name in ("latency", "epoll-c")]
        env = {"NIKAIA_BACKEND_PATH": ":".join(map(str, made)), "NIKAIA_BACKEND_TRUST": "1",
               "NIKAIA_LATENCY_OVER": str(installation() / "lib/nikaia/backends/nikaia-io-blocking.so")}
        run = self.run_command([installation() / "bin/nikaia", "backends", "--json"], env=env)
        self.check(run, 0)
        rows = {row["name"]: row for row in json.loads(run.out)}
        for name in ("latency", "epoll-c"):
            self.assertTrue(rows[name]["runs"], rows[name])
        for name in ("uring", "blocking", "uv"):
            self.assertEqual(Path(rows[name]["file"]).parent.resolve(),
                             (installation() / "lib/nikaia/backends").resolve())
        self.project(manifest="", source=WORK)
        self.check(self.run_command([installation() / "bin/nikaia", "build"]), 0)
        program = next((self.folder / "target/nikaia/dev").iterdir())
        self.check(self.run_command([program], env={**env, **self.pinned("epoll-c")}), 0, out=PRINTED)

    def test_one_output_on_every_backend(self):
        for method in SHIPPED:
            if self.serves(method):
                self.check(self.run_command([self.program(WORK)], env=self.pinned(method)), 0, out=PRINTED)
                for script in ("any * reverse", "any * delay 2ms", "read * short 1, write * short 1",
                               "read_whole * short 2"):
                    with self.subTest(method=method, script=script):
                        run = self.run_command([self.program(WORK)], env=self.over(method, script))
                        self.check(run, 0, out=PRINTED)

    def test_every_operation_fails_in_turn(self):
        program = self.program(WORK)
        for method in SHIPPED:
            if not self.serves(method):
                continue
            trace = self.folder / f"trace-{method}"
            self.check(self.run_command([program], env=self.over(method, NIKAIA_LATENCY_TRACE=str(trace))), 0)
            operations = len(trace.read_text().splitlines())
            self.assertGreater(operations, 30)
            for error in ("EIO", "ENOSPC"):
                for n in range(1, operations + 1):
                    shutil.rmtree(self.folder / "d", ignore_errors=True)
                    with self.subTest(method=method, n=n, error=error, operation=trace.read_text().splitlines()[n - 1]):
                        run = self.run_command([program], env=self.over(method, f"any {n} fail {error}"), timeout=60)
                        said, descriptors = run.out.splitlines()
                        self.assertEqual((run.status, descriptors, run.err), (0, "true", ""))
                        self.assertIn(said, ("failed", PRINTED.splitlines()[0]))

    def test_what_fails_is_said(self):
        run = self.run_command([self.program(WORK)], env=self.over("blocking", "read_whole 1 fail EIO"))
        self.check(run, 0, out="failed\ntrue\n")
        lone = self.program('use std::fs\nfn main() throws {\n    let task = spawn fn { fs::read("x", fs::Root::Dir(".")).len() }\n'
                            '    println(f"{task.join()}")\n}\n')
        run = self.run_command([lone], env=self.over("blocking", "read_whole 1 fail EIO"))
        self.check(run, 1, "Input/output error")

    def test_a_script_that_is_none_does_not_start(self):
        for script in ("read", "read 0 fail EIO", "reed * fail EIO", "read * fail EWHAT", "read * delay 5", "read * short 0",
                       "read * fail EIO now"):
            with self.subTest(script=script):
                run = self.run_command([self.program(WORK)], env=self.over("blocking", script))
                self.check(run, 78, "NIKAIA_LATENCY_SCRIPT", f"`{script}` is no rule")

    def test_what_to_wrap_must_be_said(self):
        env = self.over("blocking")
        for file, message in (("", "is no backend"), ("/etc/hostname", "is no backend")):
            run = self.run_command([self.program(WORK)], env={**env, "NIKAIA_LATENCY_OVER": file})
            self.check(run, 78, message)


if __name__ == "__main__":
    unittest.main()
