#!/usr/bin/env python3
"""Tests of check.py on small trees that break one arrow each."""
from pathlib import Path
import sys
import tempfile
import unittest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402


class ArrowsTest(unittest.TestCase):
    def problems(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check.problems(Path(folder))

    def test_arrows_that_are_allowed(self):
        self.assertEqual(self.problems({
            "include/nikaia/backend.h": "#include <stdint.h>\n",
            "runtime/load/find.h": "#include <nikaia/backend.h>\n",
            "lang/text/span.h": "",
            "lang/diag/sink.h": '#include "lang/text/span.h"\n',
            "passes/names/pass.cc": '#include "lang/text/span.h"\n#include "passes/names/scope.h"\n#include "scope.h"\n',
            "passes/names/scope.h": "",
            "driver/main.cc": '#include "runtime/load/find.h"\n#include "lang/text/span.h"\n#include <boost/dll.hpp>\n',
            "backends/uring/backend.cc": "#include <nikaia/backend.h>\n#include <liburing.h>\n",
            "backends/posix/calls.h": "",
            "backends/blocking/linked.h": '#include "backends/posix/calls.h"\n',
            "runtime/start.cc": '#include "backends/blocking/linked.h"\n#include <nikaia/rt/text.h>\n',
            "runtime/include/nikaia/rt/text.h": "#include <string>\n",
        }), [])

    def breaks(self, source, text, others):
        found = self.problems({source: text, **{name: "" for name in others}})
        self.assertEqual(len(found), 1, found)
        self.assertIn(source + ":", found[0])

    def test_arrows_that_are_not(self):
        self.breaks("lang/text/span.h", '\n#include "driver/main.h"\n', ["driver/main.h"])
        self.breaks("runtime/start.cc", '#include "lang/text/span.h"\n', ["lang/text/span.h"])
        self.breaks("driver/main.cc", '#include "runtime/executor.h"\n', ["runtime/executor.h"])
        self.breaks("passes/names/pass.cc", '#include "passes/types/pass.h"\n', ["passes/types/pass.h"])
        self.breaks("backends/uv/backend.cc", '#include "../../runtime/io.h"\n', ["runtime/io.h"])
        self.breaks("include/nikaia/rt/print.h", '#include "runtime/io.h"\n', ["runtime/io.h"])
        self.breaks("lang/text/span.h", '#include "lang/diag/sink.h"\n', ["lang/diag/sink.h"])
        self.breaks("runtime/io.cc", "#include <liburing.h>\n", [])
        self.breaks("runtime/include/nikaia/rt/print.h", "#include <functional>\n", [])
        self.breaks("passes/names/pass.cc", "#include <iostream>\n", [])
        self.breaks("backends/uv/backend.cc", '#include "backends/blocking/linked.h"\n', ["backends/blocking/linked.h"])


if __name__ == "__main__":
    unittest.main()
