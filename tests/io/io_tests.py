"""What the tests of I/O share: programs built once, backends pinned, and the backends of third parties built against the
installation alone."""
from pathlib import Path
import json
import sys
import tempfile

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/driver"))
from driver import *

PREFIX = NIKAIA.parent.parent
BACKENDS = PREFIX / "lib/nikaia/backends"
BUILDS = Path(os.environ.get("NIKAIA_TEST_BUILDS", PREFIX / "tests/plugins-of-others"))
SHIPPED = ("uring", "blocking", "uv")


class IoTest(DriverTest):
    @classmethod
    def setUpClass(cls):
        cls.programs = {}
        cls.plugins = set()

    def program(self, source, profile="dev"):
        """The program of `source`, built once for the class."""
        key = (source, profile)
        if key not in self.programs:
            folder = Path(tempfile_folder(type(self)))
            (folder / "src").mkdir()
            (folder / "nikaia.toml").write_text('[package]\nname = "program"\nversion = "0.1.0"\n')
            (folder / "src/main.nika").write_text(source)
            built = self.nikaia("build", "--profile", profile, cwd=folder)
            self.check(built, 0)
            self.programs[key] = folder / "target/nikaia" / profile / "program"
        return self.programs[key]

    def pinned(self, method, workers=1, **more):
        config = self.write(f"pinned-{method}-{workers}.toml", f'io-method = "{method}"\nio-workers = {workers}\n')
        return {"NIKAIA_RUNTIME_CONFIG": str(config), **more}

    def serves(self, method):
        """Whether this machine lets the backend serve."""
        rows = json.loads(self.nikaia("backends", "--json").out)
        return next(row for row in rows if row["name"] == method)["runs"]

    def plugin_of_others(self, name):
        """The folder in which plugins/io-NAME was built, against the installation and nothing else."""
        made = BUILDS / name
        if name in self.plugins:
            return made
        for command in (["cmake", "--fresh", "-G", "Ninja", "-S", ROOT / "plugins" / f"io-{name}", "-B", made,
                         f"-DCMAKE_PREFIX_PATH={installation()}"],
                        ["cmake", "--build", made]):
            done = self.run_command(command, timeout=600)
            self.assertEqual(done.status, 0, done.out + done.err)
        self.plugins.add(name)
        return made

    def over(self, method, script="", **more):
        """The environment for the backend `latency` over a shipped one."""
        made = self.plugin_of_others("latency")
        return {**self.pinned("latency"), "NIKAIA_BACKEND_PATH": str(made), "NIKAIA_BACKEND_TRUST": "1",
                "NIKAIA_LATENCY_OVER": str(BACKENDS / f"nikaia-io-{method}.so"), "NIKAIA_LATENCY_SCRIPT": script, **more}


def tempfile_folder(test_class):
    import tempfile
    folder = tempfile.mkdtemp(prefix="nikaia-io-")
    test_class.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
    return folder


__all__ = ["BACKENDS", "BUILDS", "IoTest", "NIKAIA", "Path", "ROOT", "SHIPPED", "installation", "json", "os", "shutil",
           "signal", "subprocess", "unittest"]
