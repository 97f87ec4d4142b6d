"""What `nikaia new --pass` and `--backend` write builds against the installation alone, and works."""
from driver import *


class Sdk(DriverTest):
    @classmethod
    def setUpClass(cls):
        cls.command = installation() / "bin/nikaia"

    def built(self, *words):
        self.check(self.nikaia("new", *words), 0)
        folder = self.folder / words[-1]
        for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={installation()}"],
                        ["cmake", "--build", folder / "build"],
                        ["ctest", "--test-dir", folder / "build", "--output-on-failure"]):
            done = self.run_command(command, timeout=600)
            self.assertEqual(done.status, 0, done.out + done.err)
        return folder

    def test_pass(self):
        folder = self.built("--pass", "tidy")
        made = folder / "build/nikaia-pass-tidy.so"
        self.project(manifest='[build]\npasses = ["tidy"]\n', source="fn main() {}\n")
        env = {"NIKAIA_PASS_PATH": str(made.parent)}
        self.check(self.nikaia("check", env=env), 0)
        run = self.nikaia("check", "--pass-option", "tidy:most=0", env=env)
        self.check(run, 0, "warning[PASS0001]: This file has 1 functions.", "src/main.nika")

    def test_backend(self):
        folder = self.built("--backend", "slow")
        env = {"NIKAIA_BACKEND_PATH": str(folder / "build"), "NIKAIA_BACKEND_TRUST": "1"}
        run = self.nikaia("backends", "--json", env=env)
        self.check(run, 0)
        import json
        found = {row["name"]: row for row in json.loads(run.out)}
        self.assertTrue(found["slow"]["runs"], found["slow"])


if __name__ == "__main__":
    unittest.main()
