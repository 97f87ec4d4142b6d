"""The C++ toolchain: which compiler is taken, what its failures mean, and how a build survives what happens to it."""
import re
import stat
import time
from driver import *


def program(body, *more):
    """A source whose C++ is `body`, one statement a line, in `main`."""
    lines = ["fn main() {}", "//| #include <nikaia/rt.h>", "//| #include <cstdio>", "//| #include <cstdlib>"]
    lines += [f"//| {line}" for line in more]
    lines += ["//| int main(int argc, char** argv) {", *[f"//|   {line}" for line in body], "//| }"]
    return "\n".join(lines) + "\n"


class Running(DriverTest):
    def test_arguments_streams_and_folder(self):
        self.write("code/x.nika", program([
            "std::printf(\"%d\", argc - 1);",
            "for (int i = 1; i < argc; ++i) std::printf(\" %s\", argv[i]);",
            "char line[80]; if (std::fgets(line, 80, stdin)) std::printf(\" | %s\", line);",
            "std::FILE* made = std::fopen(\"made\", \"w\"); if (made) std::fclose(made);",
            "std::printf(\" %s\", std::getenv(\"COLOUR_OF_THE_SHED\"));",
            "std::fputs(\"to standard error\", stderr);"]))
        run = self.nikaia("run", *VERBATIM, "code/x.nika", "--", "-v", "--profile", "a b", stdin=b"given",
                          env={"COLOUR_OF_THE_SHED": "red"})
        self.check(run, 0, out="3 -v --profile a b | given red")
        self.assertEqual(run.err, "to standard error")
        self.assertTrue((self.folder / "made").exists())

    def test_status(self):
        self.write("x.nika", program(["std::exit(std::atoi(argv[1]));"]))
        for status in ("0", "1", "70", "255"):
            self.check(self.nikaia("run", *VERBATIM, "x.nika", "--", status), int(status))
        self.write("y.nika", program(["std::raise(std::atoi(argv[1]));"], "#include <csignal>"))
        for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL):
            self.check(self.nikaia("run", *VERBATIM, "y.nika", "--", int(number)), 128 + number)

    def test_signals_reach_the_program(self):
        self.write("x.nika", program(["std::signal(SIGTERM, [](int) { std::_Exit(77); });",
                                      "std::puts(\"ready\"); std::fflush(stdout); for (;;) pause();"],
                                     "#include <csignal>", "#include <unistd.h>"))
        running = self.start("run", *VERBATIM, "x.nika")
        self.assertEqual(running.stdout.readline(), b"ready\n")
        running.terminate()
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 77)

    def test_what_is_written_where(self):
        self.write("x.nika", HELLO)
        self.check(self.nikaia("run", *VERBATIM, "x.nika"), 0)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["x.nika"])
        elsewhere = {"NIKAIA_TARGET_DIR": str(self.folder / "out")}
        self.check(self.nikaia("run", *VERBATIM, "x.nika", env=elsewhere), 0, out="hello\n")
        self.assertTrue((self.folder / "out/nikaia/dev/x").exists())
        self.project()
        self.check(self.nikaia("build", *VERBATIM), 0)
        done = self.run_command([self.folder / "target/nikaia/dev/ferry"])
        self.check(done, 0, out="hello\n")
        self.assertTrue((self.folder / "target/nikaia/emitted/main.cc").exists())

    def test_profiles(self):
        self.write("x.nika", HELLO)
        for profile in ("dev", "release", "sanitize"):
            self.check(self.nikaia("run", *VERBATIM, "x.nika", "--profile", profile), 0, out="hello\n")
        self.write("y.nika", program(["int* p = new int[1];", "std::printf(\"%d\", p[argc]);"]))
        self.assertNotEqual(self.nikaia("run", *VERBATIM, "y.nika", "--profile", "sanitize").status, 0)

    def test_code_generation_of_the_manifest(self):
        self.project(manifest='[build.x86_64-linux]\nopt-level = "s"\nlto = false\n'
                              '[build.aarch64-linux]\nopt-level = "s"\nlto = false\n')
        run = self.nikaia("build", *VERBATIM, "--profile", "release", "-v")
        self.check(run, 0, " -Os ")
        self.assertNotIn("-flto", run.err)

    def test_clang(self):
        if not shutil.which("clang++"): self.skipTest("no clang++ here")
        self.write("x.nika", HELLO)
        for profile in ("dev", "release"):
            run = self.nikaia("run", *VERBATIM, "x.nika", "--profile", profile, env={"NIKAIA_CXX": "clang++"})
            self.check(run, 0, out="hello\n")


class Choosing(DriverTest):
    def setUp(self):
        super().setUp()
        self.write("x.nika", HELLO)

    def run_with(self, **env):
        return self.nikaia("run", *VERBATIM, "x.nika", env=env)

    def test_none(self):
        run = self.run_with(PATH="/nowhere")
        self.check(run, 1, "error: I found no C++ compiler", "g++ 12 and clang++ 14", "`apt install g++`")

    def test_named_ones(self):
        self.check(self.run_with(NIKAIA_CXX="/nowhere/g++"), 1, "`/nowhere/g++`, which `NIKAIA_CXX` names,")
        self.check(self.run_with(CXX="/nowhere/c++"), 1, "`/nowhere/c++`, which `CXX` names,")
        self.check(self.run_with(NIKAIA_CXX="g++", CXX="/nowhere/c++"), 0, out="hello\n")
        self.check(self.run_with(NIKAIA_CXX="/bin/true"), 1, "doesn't answer like `g++` or `clang++`")

    def test_too_old_is_never_run_on_a_file(self):
        for answer, version, oldest in [("g++ (Debian 10.2.1-6) 10.2.1 20210110\nFree Software Foundation", "10.2.1", 12),
                                        ("Debian clang version 13.0.1-6", "13.0.1", 14)]:
            fake = self.write("fake", f"#!/bin/sh\necho \"$*\" >> '{self.folder}/calls'\necho '{answer}'\n", 0o755)
            run = self.run_with(NIKAIA_CXX=str(fake))
            self.check(run, 1, f"is version {version}, and version {oldest} is the oldest")
        self.assertEqual(set(self.calls()), {"--version"})

    def test_version_is_asked_once(self):
        fake = self.write("asked", f"#!/bin/sh\necho \"$*\" >> '{self.folder}/calls'\nexec g++ \"$@\"\n", 0o755)
        for _ in range(3): self.check(self.run_with(NIKAIA_CXX=str(fake)), 0)
        self.assertEqual(self.calls().count("--version"), 1)

    def test_launcher(self):
        launcher = self.write("launch", f"#!/bin/sh\necho \"$*\" >> '{self.folder}/launched'\nexec \"$@\"\n", 0o755)
        self.check(self.run_with(NIKAIA_CXX_LAUNCHER=str(launcher)), 0, out="hello\n")
        launched = (self.folder / "launched").read_text()
        self.assertIn(" -c ", launched)
        self.assertNotIn("headers", launched)  # another machine may not have the precompiled header


class Defects(DriverTest):
    def log(self, run):
        name = re.search(r"`([^`]*internal-[0-9a-f]{6,}\.log)`", run.err)
        self.assertIsNotNone(name, run.err)
        return Path(self.folder, name[1]).read_text()

    def test_cpp_that_does_not_compile(self):
        self.project(source=program(["int seats = \"many\";"]))
        run = self.nikaia("build", *VERBATIM)
        self.assertEqual(re.sub(r"internal-[0-9a-f]+", "internal-X", run.err), """\
internal error: The compiler wrote C++ that does not compile. Your program is not at fault.
  --> src/main.nika:6:1
   |
 6 | //|   int seats = "many";
   | ^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = note: The C++ compiler's own words are kept in `target/nikaia/log/internal-X.log`.
   = help: Please report this with that file. Until it is mended, writing the statement another way may help.
nikaia: 1 error
""")
        self.assertEqual(run.status, 70)
        log = self.log(run)
        for part in ("nikaia 0.", "command: ", "g++", "command line: ", "invalid conversion",
                     "emitted place: main.cc:", "emitted function:\n", ">   int seats = \"many\";"):
            self.assertIn(part, log)
        import hashlib
        name = next((self.folder / "target/nikaia/log").iterdir())
        self.assertEqual(name.name, f"internal-{hashlib.sha256(name.read_bytes()).hexdigest()[:12]}.log")

    def test_as_json(self):
        self.project(source=program(["int seats = \"many\";"]))
        run = self.nikaia("build", *VERBATIM, "--message-format=json")
        message, summary = run.messages()
        self.assertEqual((message["severity"], message["code"], summary["status"]), ("internal", None, 70))
        self.assertEqual(message["spans"][0]["line"], 6)
        self.assertTrue((self.folder / message["log"]).exists())

    def test_symbol_that_is_missing(self):
        self.project(source=program(["return boat_that_nobody_built();"], "int boat_that_nobody_built();"))
        run = self.nikaia("build", *VERBATIM)
        self.check(run, 70, "Your program is not at fault.")
        self.assertNotIn("boat_that_nobody_built", run.err)
        self.assertIn("boat_that_nobody_built", self.log(run))

    def test_compiler_that_could_not_finish(self):
        self.project()
        for instead, part in [("kill -9 $$", "It was killed"),
                              ("echo 'cc1plus: fatal error: No space left on device' >&2; exit 1", "for a reason outside"),
                              ("echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
                               "for a reason outside")]:
            run = self.nikaia("build", *VERBATIM, env=self.compiler_wrapper(instead=instead))
            self.check(run, 1, "error: The C++ toolchain couldn't finish", part, "= help: ")
            self.assertIn("command line: ", self.log(run))
        self.check(self.nikaia("run", *VERBATIM), 0, out="hello\n")


class Store(DriverTest):
    def units(self):
        """The files a compiler was run on, since the last time this was asked."""
        units = [word for line in self.calls() for word in line.split() if word.endswith(".cc")]
        (self.folder / "calls").unlink(missing_ok=True)
        return sorted(Path(unit).name for unit in units)

    def test_only_what_changed_is_compiled(self):
        compiler = self.compiler_wrapper()
        self.project(source=program(["std::puts(shed());"], "#include \"sheds.h\""))
        shed = "//| #include <nikaia/rt.h>\n//| const char* shed() { return \"%s\"; }\n//= sheds.h\n//| const char* shed();\n"
        self.write("src/shed.nika", shed % "red")
        self.check(self.nikaia("run", *VERBATIM, env=compiler), 0, out="red\n")
        self.assertEqual(self.units(), ["main.cc", "shed.cc"])
        self.check(self.nikaia("run", *VERBATIM, env=compiler), 0, out="red\n")
        self.assertEqual(self.calls(), [])
        self.write("src/shed.nika", shed % "blue")
        self.check(self.nikaia("run", *VERBATIM, env=compiler), 0, out="blue\n")
        self.assertEqual(self.units(), ["shed.cc"])
        self.write("src/shed.nika", shed.replace("char* shed();", "char* shed(); // a word more") % "blue")
        self.check(self.nikaia("run", *VERBATIM, env=compiler), 0, out="blue\n")
        self.assertEqual(self.units(), ["main.cc"])
        self.write("src/shed.nika", shed % "red")
        self.check(self.nikaia("run", *VERBATIM, env=compiler), 0, out="red\n")
        self.assertEqual(self.calls(), [])

    def test_options_have_entries_of_their_own(self):
        self.project()
        for words in ([], ["--user-parallelism=yes"], ["--profile", "release"], []):
            self.check(self.nikaia("run", *VERBATIM, *words), 0, out="hello\n")
        builds = list((self.folder / "target/nikaia/cache/builds").iterdir())
        self.assertEqual(len([b for b in builds if not b.name.startswith(".")]), 3)

    def test_two_builds_at_once(self):
        self.project()
        env = {"NIKAIA_CACHE_DIR": str(self.folder / "cache")}
        running = [self.start("run", *VERBATIM, "--profile", profile, env=env)
                   for profile in ("dev", "dev", "release", "dev")]
        for one in running:
            out, err = one.communicate(timeout=240)
            self.assertEqual((one.returncode, out), (0, b"hello\n"), err)
        precompiled = list((self.folder / "cache/headers").glob("*/nikaia/rt.h.gch"))
        self.assertEqual(len(precompiled), 2)

    def test_killed_build(self):
        self.project()
        started = self.folder / "started"
        os.mkfifo(started)
        slow = self.compiler_wrapper(before=f"case \"$*\" in *' -c '*) touch_it={started}; echo > $touch_it; "
                                            "g++ \"$@\"; kill -STOP $$;; esac")
        build = self.start("build", *VERBATIM, env=slow)
        with open(started) as pipe: pipe.read()
        os.killpg(build.pid, signal.SIGKILL)
        build.communicate(timeout=60)
        self.check(self.nikaia("run", *VERBATIM), 0, out="hello\n")
        left = [p for p in (self.folder / "target").rglob("*.o") if not p.name.startswith(".tmp-")]
        self.assertEqual(len(left), 1)

    def damaged(self, pattern, damage):
        self.project()
        env = {"NIKAIA_CACHE_DIR": str(self.folder / "cache")}
        self.check(self.nikaia("run", *VERBATIM, env=env), 0, out="hello\n")
        files = [p for p in self.folder.glob(pattern) if p.is_file()]
        self.assertTrue(files, pattern)
        for file in files:
            content = bytearray(file.read_bytes())
            mode = file.stat().st_mode
            file.unlink()  # the hard link elsewhere stays as it is
            file.write_bytes(damage(content))
            file.chmod(stat.S_IMODE(mode))
        # Another text behind the program, so that the store is asked and not only the record of the build.
        self.check(self.nikaia("run", *VERBATIM, env=env), 0, out="hello\n")
        self.write("src/main.nika", HELLO.replace("hello", "hullo"))
        self.check(self.nikaia("run", *VERBATIM, env=env), 0, out="hullo\n")
        self.write("src/main.nika", HELLO)
        self.check(self.nikaia("run", *VERBATIM, env=env), 0, out="hello\n")

    def test_damaged_store(self):
        for pattern in ("target/nikaia/cache/objects/*/*.o", "target/nikaia/cache/programs/*/ferry",
                        "target/nikaia/cache/emitted/*/*.cc", "target/nikaia/cache/builds/*",
                        "target/nikaia/cache/objects/*/*.sum", "cache/headers/*/nikaia/rt.h.gch"):
            for name, damage in [("cut", lambda c: c[:len(c) // 2]), ("empty", lambda c: b"")]:
                with self.subTest(f"{pattern} {name}"):
                    self.damaged(pattern, damage)

    def test_flipped_bytes(self):
        def flip(content):
            content[len(content) // 2] ^= 0xff
            return content
        for pattern in ("target/nikaia/cache/objects/*/*.o", "target/nikaia/cache/programs/*/ferry"):
            with self.subTest(pattern):
                self.damaged(pattern, flip)

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if self.run_command(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]).status != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        self.project()
        full = self.nikaia("run", *VERBATIM, env={"NIKAIA_TARGET_DIR": str(disk)})
        self.check(full, 1, "error: ", "= help: ")
        self.assertNotIn("internal error", full.err)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        self.check(self.nikaia("run", *VERBATIM, env={"NIKAIA_TARGET_DIR": str(disk)}), 0, out="hello\n")

    def old(self, path, days=1):
        past = time.time() - days * 24 * 3600
        os.utime(path, (past, past))

    def test_what_was_built_of_files_that_are_gone_goes(self):
        cache = self.folder / "cache"
        env = {"NIKAIA_CACHE_DIR": str(cache)}
        for name in ("a.nika", "b.nika", "c.nika"): self.write(name, HELLO)
        for name in ("a.nika", "b.nika"): self.check(self.nikaia("run", *VERBATIM, name, env=env), 0)
        entries = {(e / "source").read_text(): e for e in (cache / "files").iterdir()}
        self.assertEqual(len(entries), 2)
        for entry in entries.values(): self.old(entry / "source")
        self.old(cache / "files-tidied")
        (self.folder / "a.nika").unlink()
        self.check(self.nikaia("run", *VERBATIM, "c.nika", env=env), 0)
        left = sorted(Path((e / "source").read_text()).name for e in (cache / "files").iterdir())
        self.assertEqual(left, ["b.nika", "c.nika"])

    def test_precompiled_headers_beyond_three_go_when_idle(self):
        cache = self.folder / "cache"
        for i in range(5):
            self.write(f"cache/headers/old{i}/nikaia/rt.h.gch", "")
            self.old(cache / f"headers/old{i}", days=i + 1)
        (cache / "headers/fresh").mkdir()
        self.write("x.nika", HELLO)
        self.check(self.nikaia("run", *VERBATIM, "x.nika", env={"NIKAIA_CACHE_DIR": str(cache)}), 0)
        left = {e.name for e in (cache / "headers").iterdir()}
        self.assertEqual(len(left), 3)
        self.assertTrue({"fresh", "old0"} <= left, left)

    def test_programs_beyond_sixteen_go_when_idle(self):
        self.project()
        cache = self.folder / "target/nikaia/cache"
        for kind in ("programs", "emitted"):
            for i in range(20):
                (cache / kind / f"old{i}").mkdir(parents=True)
                self.old(cache / kind / f"old{i}", days=(i + 1) / 10)
            (cache / kind / "fresh").mkdir()
        self.check(self.nikaia("run", *VERBATIM), 0, out="hello\n")
        for kind in ("programs", "emitted"):
            left = {e.name for e in (cache / kind).iterdir()}
            self.assertEqual(len(left), 16, left)
            self.assertTrue({"fresh", "old0", "old13"} <= left, left)

    def test_old_entries_go(self):
        self.project()
        self.check(self.nikaia("run", *VERBATIM), 0)
        cache = self.folder / "target/nikaia/cache"
        for old in ("objects/00/old.o", "programs/old/x", "emitted/old/x.cc", "builds/old", "builds/.tmp-1-2-x"):
            path = cache / old
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            self.old(path, days=30)
            if path.parent.name == "old": self.old(path.parent, days=30)
        self.old(cache / "tidied", days=30)
        self.write("src/main.nika", HELLO.replace("hello", "hullo"))
        self.check(self.nikaia("run", *VERBATIM), 0, out="hullo\n")
        self.assertEqual([p for p in cache.rglob("*old*")] + list(cache.rglob(".tmp-*")), [])
        self.write("src/main.nika", HELLO)
        self.check(self.nikaia("run", *VERBATIM), 0, out="hello\n")


if __name__ == "__main__":
    unittest.main()
