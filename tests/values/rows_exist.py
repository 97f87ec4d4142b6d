#!/usr/bin/env python3
"""Every row of the library that is built has the C++ function emission calls.

Reads the rows of std.contracts and the names of std.cpp.def, writes a file that mentions each function once, and has
the compiler look them up.

    rows_exist.py CONTRACTS DEF INCLUDE COMPILER
"""
import re
import subprocess
import sys
import tempfile

# What emission writes as something other than a call: kinds of its own, and words of the compiler.
NOT_CALLS = re.compile(r"^(Error|Drop|Cleanup|html::Render)::|^SharedMut::|^Locked::")


def function_of(key, named):
    if key in named:
        return named[key]
    name = ""
    for i, c in enumerate(key):
        if c in ":.":
            name += "" if name.endswith("_") else "_"
        elif c.isupper():
            name += ("_" if i and key[i - 1].islower() else "") + c.lower()
        else:
            name += c
    return "nikaia::" + name


def main():
    contracts, definition, include, compiler = sys.argv[1:]
    named = dict(re.findall(r'^ROW\("([^"]+)", "([^"]+)"\)', open(definition).read(), re.M))
    rows = {}
    for block in re.split(r"\n\n", open(contracts).read()):
        key = re.search(r'^\[fn\."([^"]+)"\]', block, re.M)
        if key and "\nbuilt = false" not in block and not NOT_CALLS.match(key[1]):
            if key[1].endswith("::new") and re.search(r'signature = "\(\)', block):
                continue  # the type's default
            rows[key[1]] = re.sub(r"<.*", "", function_of(key[1], named))
    source = "#include <nikaia/rt.h>\nnamespace rows {\n"
    for key, function in sorted(rows.items()):
        source += f"using {function};  // {key}\n"
    source += "}\n"
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as file:
        file.write(source)
        file.flush()
        done = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-I", include, file.name], capture_output=True, text=True
        )
    missing = sorted(set(re.findall(r"// (\S+)$", done.stderr, re.M)))
    for key in missing:
        print(f"{key}: there is no {rows[key]}")
    if done.returncode != 0 and not missing:
        print(done.stderr)
    unknown = sorted(k for k in named if f'[fn."{k}"]' not in open(contracts).read())
    for key in unknown:
        print(f"{key}: no such row")
    sys.exit(1 if done.returncode != 0 or unknown else 0)


main()
