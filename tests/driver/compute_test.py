"""Emitted programs allocate no more than the same program in C++ by hand, and change no count on the way."""
import subprocess
import unittest
from pathlib import Path

from driver import NIKAIA

RUN = Path(__file__).resolve().parents[2] / "benches/compute/run"


class Compute(unittest.TestCase):
    def test_counts(self):
        done = subprocess.run(["python3", str(RUN), "--nikaia", str(NIKAIA), "--counts"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("nbody", "words", "tree"):
            self.assertIn(name, done.stdout)


if __name__ == "__main__":
    unittest.main()
