"""What the tests of the `nikaia` command share: a fresh folder, a clean environment, and what one run gave."""
import atexit
import dataclasses
import functools
import json
import os
from pathlib import Path
import shutil
import signal
import subprocess
import tempfile
import unittest

BUILD = Path(__file__).resolve().parents[2] / "build/default"
NIKAIA = Path(os.environ.get("NIKAIA_UNDER_TEST", BUILD / "bin/nikaia"))
PLUGINS = Path(os.environ.get("NIKAIA_TEST_PLUGINS", BUILD / "tests/plugins"))
# Shared by all tests, so that the runtime's header is precompiled once; a test that needs its own sets another.
CACHE = Path(os.environ.get("NIKAIA_TEST_CACHE", BUILD / "tests/cache"))

# C++ for the emission pass `emit-verbatim`, which writes what stands behind `//|`.
HELLO = """\
fn main() {}
//| #include <nikaia/rt.h>
//| #include <cstdio>
//| int main() { std::puts("hello"); }
"""


@functools.cache
def installation():
    """A prefix that the toolchain under test is installed into, as `./dev install` does; one that is installed is its own."""
    tree = NIKAIA.parent.parent
    if not (tree / "CMakeCache.txt").exists():
        return tree
    prefix = Path(tempfile.mkdtemp(prefix="nikaia-prefix-"))
    atexit.register(shutil.rmtree, prefix, ignore_errors=True)
    done = subprocess.run(["cmake", "--install", tree, "--prefix", prefix], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"cmake --install ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return prefix


def plugin(name):
    return PLUGINS / f"nikaia-pass-{name}.so"


VERBATIM = ["--pass-plugin", str(plugin("verbatim")), "--emit", "verbatim"]


@dataclasses.dataclass
class Run:
    status: int
    out: str
    err: str

    def messages(self):
        """The JSON lines of standard error."""
        return [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]


class DriverTest(unittest.TestCase):
    maxDiff = None
    command = NIKAIA

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="nikaia-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        self.environment = {k: v for k, v in os.environ.items()
                            if (not k.startswith("NIKAIA_") or k == "NIKAIA_SYSROOT") and k not in ("CXX", "NO_COLOR")}
        self.environment["NIKAIA_CACHE_DIR"] = str(CACHE)

    def write(self, name, text, mode=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if mode:
            path.chmod(mode)
        return path

    def project(self, folder=".", name="ferry", source=HELLO, manifest=""):
        self.write(f"{folder}/nikaia.toml", f'[package]\nname = "{name}"\nversion = "0.1.0"\n{manifest}')
        self.write(f"{folder}/src/main.nika", source)

    def run_command(self, words, cwd=None, env=None, stdin=b"", timeout=120):
        done = subprocess.run([str(w) for w in words], cwd=cwd or self.folder,
                              env={**self.environment, **(env or {})},
                              input=stdin, capture_output=True, timeout=timeout)
        return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def nikaia(self, *words, **options):
        return self.run_command([self.command, *words], **options)

    def start(self, *words, env=None):
        """The command in a process group of its own, so that it can be killed with what it started."""
        return subprocess.Popen([str(w) for w in [self.command, *words]], cwd=self.folder, start_new_session=True,
                                env={**self.environment, **(env or {})},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def check(self, run, status, *parts, out=None):
        """The run's status, and what its messages say."""
        self.assertEqual(run.status, status, run.err)
        for part in parts:
            self.assertIn(part, run.err)
        if out is not None:
            self.assertEqual(run.out, out, run.err)

    def compiler_wrapper(self, before="", instead=None, name="wrapped-g++"):
        """A compiler that logs its calls into `calls`; `instead` replaces what it does when given a file."""
        log = self.folder / "calls"
        act = instead if instead is not None else 'exec g++ "$@"'
        path = self.write(name, f"""#!/bin/sh
case "$*" in *--version*) exec g++ "$@";; esac
echo "$*" >> '{log}'
{before}
{act}
""", 0o755)
        return {"NIKAIA_CXX": str(path)}

    def calls(self):
        log = self.folder / "calls"
        return log.read_text().splitlines() if log.exists() else []


def signal_status(number):
    return 128 + number


__all__ = ["CACHE", "DriverTest", "HELLO", "NIKAIA", "PLUGINS", "Path", "Run", "VERBATIM", "installation", "os", "plugin",
           "signal", "signal_status", "shutil", "subprocess", "unittest"]
