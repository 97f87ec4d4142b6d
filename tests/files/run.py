#!/usr/bin/env python3
"""Runs the file tests: every .nika file below this folder, and every folder with a nikaia.toml, is one test.

What a test expects stands in comments of its source; `expectations.py` has the list. A project's messages are expected
in the file they are about, everything else in its `src/main.nika`.

    run.py [--nikaia PATH] [--only TEXT] [--bless] [--parallelism no,yes] [--profile dev,sanitize]
           [--io-method auto,uring,blocking,uv] [--jobs N] [FOLDER or FILE ...]

Every accepted program runs in a fresh folder once for each combination of the values given. Ends with
`N passed, N failed`; the status is 0 only where all passed. `--bless` writes what the compiler and the program said into
the tests that failed; look at the difference before you commit it."""
import argparse
import concurrent.futures
import dataclasses
import difflib
import itertools
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile

from expectations import BadTest, Expectations, Message, bless, read, write

HERE = Path(__file__).resolve().parent
KEPT_VARIABLES = {"NIKAIA_SYSROOT", "NIKAIA_CXX", "NIKAIA_CXX_LAUNCHER", "NIKAIA_CACHE"}


@dataclasses.dataclass
class Test:
    path: Path        # the file, or the project's folder
    sources: dict     # path relative to the test → expectations

    @property
    def name(self):
        return str(self.path.relative_to(HERE)) if self.path.is_relative_to(HERE) else str(self.path)

    @property
    def is_project(self):
        return self.path.is_dir()

    @property
    def main(self):
        names = [n for n in self.sources if n.as_posix() == "src/main.nika"] or sorted(self.sources)
        return self.sources[names[0]]


def expectations_of(file):
    try:
        return Expectations(read(file))
    except BadTest as error:
        raise BadTest(f"{file}, {error}")


def find_tests(places):
    for place in places:
        if place.is_file():
            yield Test(place, {Path(place.name): expectations_of(place)})
        elif (place / "nikaia.toml").exists():
            files = sorted(place.rglob("*.nika"))
            yield Test(place, {file.relative_to(place): expectations_of(file) for file in files})
        else:
            inside = sorted(p for p in place.iterdir() if p.is_dir() or p.suffix == ".nika")
            yield from find_tests(inside)


class Failure(Exception):
    def __init__(self, reason, bless=None):
        super().__init__(reason)
        self.bless = bless  # a function that mends the test


def difference(expected, actual):
    lines = list(difflib.unified_diff(expected.split("\n"), actual.split("\n"), "expected", "actual", lineterm="", n=2))
    return "\n".join("    " + line for line in lines)


class Runner:
    def __init__(self, options):
        self.options = options

    def environment(self, work):
        env = {k: v for k, v in os.environ.items() if not k.startswith("NIKAIA_") or k in KEPT_VARIABLES}
        env["NO_COLOR"] = "1"
        return env

    def call(self, work, arguments, stdin=b"", env=None):
        try:
            done = subprocess.run([self.options.nikaia, *arguments], cwd=work, env=env or self.environment(work),
                                  input=stdin, capture_output=True, timeout=self.options.limit)
        except subprocess.TimeoutExpired:
            raise Failure(f"`nikaia {' '.join(arguments)}` did not end in {self.options.limit} s")
        return done.returncode, done.stdout, done.stderr

    def messages(self, work, test, target, switches):
        """What `nikaia check` says: file → messages."""
        status, out, err = self.call(work, ["check", "--message-format", "json", *switches, *target])
        found, said_summary = {}, False
        for line in (out + b"\n" + err).decode("utf-8", "replace").split("\n"):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            said_summary = said_summary or message.get("type") == "summary"
            if message.get("type") != "diagnostic" or message["severity"] == "note":
                continue
            primary = next((s for s in message["spans"] if s["primary"]), {"file": "", "line": 0})
            actual = Message(primary["line"], message["severity"], message["code"], message["message"])
            file = self.source_of(test, primary["file"])
            found.setdefault(file, []).append(actual)
        if not said_summary:
            raise Failure(f"`nikaia check` ended with status {status} and said:\n" + tail(out + err))
        return status, found

    @staticmethod
    def source_of(test, shown):
        names = [n for n in test.sources if shown.endswith(n.as_posix())]
        return max(names, key=lambda n: len(n.parts)) if names else sorted(test.sources)[0]

    def check_messages(self, test, target, work, switches):
        status, found = self.messages(work, test, target, switches)
        problems = []
        for name, expected in test.sources.items():
            left = list(found.get(name, []))
            missing = []
            for wanted in expected.messages:
                fit = next((m for m in left if wanted.fits(m)), None)
                if fit:
                    left.remove(fit)
                else:
                    missing.append(wanted)
            at = f"{name}, " if test.is_project else ""
            problems += [f"  not said: {at}{m.describe()}" for m in missing]
            problems += [f"  said too: {at}{m.describe()}" for m in left]
        if (status != 0) != any(e.refused for e in test.sources.values()) and not problems:
            problems.append(f"  `nikaia check` ended with status {status}")
        if problems:
            def mend():
                for name in test.sources:
                    file = test.path / name if test.is_project else test.path
                    write(file, bless(read(file), found.get(name, []), None, None))
            raise Failure("\n".join(problems), mend)

    def check_lowered(self, test, target, work, switches):
        texts = {}
        for arguments, wanted, text in test.main.lowered:
            if arguments not in texts:
                output = work / "lowered"
                to_file = ["--output", str(output)] if arguments[0] == "--emit" else []
                status, out, err = self.call(work, ["lower", *arguments, *to_file, *switches, *target])
                if status != 0:
                    raise Failure(f"`nikaia lower {' '.join(arguments)}` ended with status {status}:\n" + tail(err))
                texts[arguments] = output.read_text() if output.exists() else out.decode("utf-8", "replace")
                output.unlink(missing_ok=True)
            if (text in texts[arguments]) != wanted:
                word = "is not in" if wanted else "is in"
                raise Failure(f"  `{text}` {word} the output of `nikaia lower {' '.join(arguments)}`:\n" +
                              tail(texts[arguments].encode(), 60))

    def check_run(self, test, target, work, switches, method):
        expected = test.main
        env = self.environment(work)
        for key, value in expected.env:
            env[key] = value.replace("$WORK", str(work))
        runtime = list(expected.runtime)
        if method != "auto":
            runtime.insert(0, f'io-method = "{method}"')
        if runtime:
            (work.parent / "nikaia-runtime.toml").write_text("\n".join(runtime) + "\n")
            env["NIKAIA_RUNTIME_CONFIG"] = str(work.parent / "nikaia-runtime.toml")
        for name, lines in expected.files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text("".join(line + "\n" for line in lines))
        stdin = "".join(line + "\n" for line in expected.stdin).encode()
        status, out, err = self.call(work, ["run", *switches, *target, "--", *expected.args], stdin, env)
        text = out.decode("utf-8", "replace")
        if err.startswith(b"internal error:"):  # a defect of ours is no expectation, so it is never blessed
            raise Failure(tail(err))
        problems = []
        if text != expected.stdout:
            problems.append("  standard output differs:\n" + difference(expected.stdout, text))
        if status != expected.status:
            problems.append(f"  status {status} instead of {expected.status}; standard error:\n" + tail(err))
        for wanted in expected.stderr_has:
            if wanted not in err.decode("utf-8", "replace"):
                problems.append(f"  `{wanted}` is not in standard error:\n" + tail(err))
        for name, lines in expected.left.items():
            wanted = "".join(line + "\n" for line in lines)
            there = (work / name).read_text("utf-8", "replace") if (work / name).exists() else None
            if there != wanted:
                problems.append(f"  the file {name} " +
                                ("is not there" if there is None else "differs:\n" + difference(wanted, there)))
        if problems:
            def mend():
                file = test.path / "src/main.nika" if test.is_project else test.path
                write(file, bless(read(file), None, text, status))
            raise Failure("\n".join(problems), mend)

    def one(self, test):
        """None where the test passed, else the failure."""
        expected = test.main
        values = [p for p in self.options.parallelism if not expected.parallelism or p in expected.parallelism]
        try:
            for parallelism in values or expected.parallelism:
                switches = [f"--user-parallelism={parallelism}"]
                self.in_fresh_folder(test, lambda target, work: self.check_messages(test, target, work, switches))
                if expected.lowered:
                    self.in_fresh_folder(test, lambda target, work: self.check_lowered(test, target, work, switches))
                if expected.check_only or any(e.refused for e in test.sources.values()):
                    continue
                methods = expected.methods or self.options.io_method
                for profile, method in itertools.product(self.options.profile, methods):
                    more = switches + ([f"--profile={profile}"] if profile != "dev" else [])
                    try:
                        self.in_fresh_folder(
                            test, lambda target, work: self.check_run(test, target, work, more, method))
                    except Failure as failure:
                        raise Failure(f"  (user-parallelism {parallelism}, profile {profile}, io-method {method})\n"
                                      f"{failure}", failure.bless)
            return None
        except Failure as failure:
            return failure

    @staticmethod
    def in_fresh_folder(test, do):
        with tempfile.TemporaryDirectory(prefix="nikaia-file-test-") as folder:
            work = Path(folder) / "work"
            if test.is_project:
                shutil.copytree(test.path, Path(folder) / "project")
                work.mkdir()
                do(["--project", str(Path(folder) / "project")], work)
            else:
                work.mkdir()
                shutil.copy(test.path, work)
                do([test.path.name], work)


def tail(raw, count=25):
    lines = raw.decode("utf-8", "replace").splitlines()
    more = ["    ..."] if len(lines) > count else []
    return "\n".join(more + ["    " + line for line in lines[-count:]])


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nikaia", default=os.environ.get("NIKAIA", "nikaia"))
    parser.add_argument("--only", default="", help="tests with this text in their path")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--parallelism", default="no", type=lambda s: s.split(","))
    parser.add_argument("--profile", default="dev", type=lambda s: s.split(","))
    parser.add_argument("--io-method", default="auto", type=lambda s: s.split(","))
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--limit", default=60, type=int, help="seconds for one call of nikaia")
    parser.add_argument("places", nargs="*", type=Path, default=[HERE])
    options = parser.parse_args()
    path = shutil.which(options.nikaia)
    if not path:
        parser.error(f"there is no program `{options.nikaia}`; give the built one with --nikaia")
    options.nikaia = str(Path(path).resolve())
    return options


def main():
    options = parse_options()
    try:
        tests = [t for t in find_tests([p.resolve() for p in options.places]) if options.only in t.name]
    except BadTest as error:
        print(f"a test is written wrong: {error}")
        return 1
    runner = Runner(options)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, failure in zip(tests, pool.map(runner.one, tests)):
            if failure is None:
                continue
            if options.bless and failure.bless:
                failure.bless()
                print(f"blessed {test.name}")
                continue
            failed += 1
            print(f"FAILED {test.name}\n{failure}\n", flush=True)
    if not tests:
        print("no tests found")
        return 1
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
