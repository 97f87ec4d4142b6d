"""What a file test expects, read from the comments of its source, and written back into it.

Messages are expected beside the line they are about:

    let x = y        //~ NK1117                     this line
    //~^ NK1117                                     the line above (one line further for each further ^)
    //~v NK1117                                     the line below
    //~* NK1951                                     anywhere, such as a file as a whole
    ... //~ error                                   a message without a code (a syntax error)
    ... //~ warning NK1111                          a warning
    ... //~ NK1139 NK1139                           two on one line
    ... //~ NK1117 "no function called"             whose headline holds that text

A test without an expected error is accepted, built and run. Lines of their own, anywhere in the file:

    //= text            a line of its standard output, all of them in order; `//=` alone is an empty line
    //=- text           the last line, without a line break after it
    //args: a 'b c'     its arguments            //stdin: text      a line of its standard input
    //status: 134       its exit status          //stderr-has: text occurs in its standard error
    //env: KEY=VALUE    an environment variable; $WORK is its working directory
    //runtime: toml     a line of its nikaia-runtime.toml
    //file NAME: text   a line of a file that is there before it starts
    //left NAME: text   a line of a file that is there when it has ended
    //methods: uring uv            the I/O methods it is run with, where not every one applies
    //parallelism: yes             the value of user-parallelism, where not every one applies
    //check-only        not run
    //nir: text         occurs in the output of `nikaia lower --emit nir`; `//nir-not: text` does not
    //cpp: text         the same for `--emit cpp`; `//cpp-not: text`
    //after PASS: text  the same for `nikaia lower --after PASS`
"""
import dataclasses
import re
import shlex

MARK = re.compile(r"//~(\^+|v+|\*)?(?=\s|$)(.*)$")
DIRECTIVE = re.compile(r"^\s*//(args|stdin|status|stderr-has|env|runtime|methods|parallelism|check-only|nir|nir-not|cpp|"
                       r"cpp-not|after [\w-]+|file \S+|left \S+)(?::\s?(.*))?$")
OUTPUT = re.compile(r"^//=(-?)(?: (.*))?$")


@dataclasses.dataclass(frozen=True)
class Message:
    """One expected or actual message; `line` 0 stands for any line, `code` is None for a message without one."""
    line: int
    severity: str
    code: str
    text: str = ""

    def describe(self):
        where = f"line {self.line}" if self.line else "anywhere"
        what = self.severity + (f" {self.code}" if self.code else " without a code")
        return f"{where}: {what}" + (f": {self.text}" if self.text else "")

    def fits(self, actual):
        return (self.line in (0, actual.line) and (self.severity, self.code) == (actual.severity, actual.code)
                and self.text in actual.text)


def read(path):
    """The text of a file byte for byte, also where it is not UTF-8 or has carriage returns."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def write(path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


class BadTest(Exception):
    """The test itself is written wrong."""


def parse_mark(line_number, mark, rest):
    if mark is None:
        line = line_number
    elif mark == "*":
        line = 0
    else:
        line = line_number + (len(mark) if mark[0] == "v" else -len(mark))
    try:
        words = shlex.split(rest, posix=False)
    except ValueError as error:
        raise BadTest(f"line {line_number}: {error} in `//~{rest}`")
    found, severity = [], "error"
    for word in words:
        if word in ("error", "warning", "note", "internal"):
            severity = word
            if word == "error":
                found.append(Message(line, "error", None))
        elif re.fullmatch(r"NK\d{4}|[A-Z]{2,4}\d{4}", word):
            if found and found[-1] == Message(line, "error", None) and severity == "error":
                found.pop()
            found.append(Message(line, severity, word))
        elif word.startswith('"') and word.endswith('"') and len(word) > 1 and found:
            found[-1] = dataclasses.replace(found[-1], text=word[1:-1])
        else:
            raise BadTest(f"line {line_number}: `{word}` is no code, severity or quoted text")
    if severity != "error" and not found:
        found.append(Message(line, severity, None))
    if not found:
        raise BadTest(f"line {line_number}: `//~` without anything expected")
    return found


class Expectations:
    def __init__(self, text):
        self.messages, self.args, self.stdin, self.stderr_has = [], [], [], []
        self.env, self.runtime, self.methods, self.parallelism = [], [], None, None
        self.status, self.check_only, self.lowered, self.files, self.left = 0, False, [], {}, {}
        self.stdout = ""
        for number, line in enumerate(text.split("\n"), 1):
            output = OUTPUT.match(line)
            directive = DIRECTIVE.match(line)
            mark = MARK.search(line)
            if output:
                self.stdout += (output[2] or "") + ("" if output[1] else "\n")
            elif directive:
                self.take(number, directive[1], directive[2] or "")
            elif mark:
                self.messages += parse_mark(number, mark[1], mark[2])

    def take(self, number, key, value):
        word, _, name = key.partition(" ")
        if key == "args":
            self.args += shlex.split(value)
        elif key == "stdin":
            self.stdin.append(value)
        elif key == "status":
            if not value.strip().isdigit():
                raise BadTest(f"line {number}: `//status:` takes a number")
            self.status = int(value)
        elif key == "stderr-has":
            self.stderr_has.append(value)
        elif key == "env":
            self.env.append(value.partition("=")[::2])
        elif key == "runtime":
            self.runtime.append(value)
        elif key == "methods":
            self.methods = value.split()
        elif key == "parallelism":
            self.parallelism = value.split()
        elif key == "check-only":
            self.check_only = True
        elif word == "file":
            self.files.setdefault(name, []).append(value)
        elif word == "left":
            self.left.setdefault(name, []).append(value)
        elif word == "after":
            self.lowered.append((("--after", name), True, value))
        else:
            self.lowered.append((("--emit", key.removesuffix("-not")), not key.endswith("-not"), value))

    @property
    def refused(self):
        return any(m.severity in ("error", "internal") for m in self.messages)


def bless(text, messages, stdout, status):
    """The source with its expected messages, output and status replaced; None leaves a part as it is."""
    lines = text.split("\n")
    if messages is not None:
        kept = []
        moved = {}  # old line number → new one, because a line that held marks alone goes away
        for number, line in enumerate(lines, 1):
            bare = MARK.sub("", line).rstrip() if MARK.search(line) and not DIRECTIVE.match(line) else line
            if bare == "" and line.strip():
                continue
            kept.append(bare)
            moved[number] = len(kept)
        lines = kept
        beside = {}
        for message in messages:
            word = (message.severity + " " if message.severity != "error" else "") + (message.code or "")
            beside.setdefault(moved.get(message.line), []).append(word.strip() or "error")
        for line, words in beside.items():
            mark = " ".join(words)
            if line is None:
                lines.insert(len(lines) - 1 if lines[-1] == "" else len(lines), f"//~* {mark}")
            else:
                kept = lines[line - 1]
                lines[line - 1] = f"{kept} //~ {mark}" if kept else f"//~ {mark}"
    if stdout is not None:
        lines = [line for line in lines if not OUTPUT.match(line)]
        while lines and lines[-1] == "":
            lines.pop()
        if stdout:
            lines.append("")
            whole = stdout.split("\n")
            lines += [("//= " + line).rstrip() if line.strip() else "//=" + (" " + line if line else "")
                      for line in whole[:-1]]
            if whole[-1]:
                lines.append("//=- " + whole[-1])
        lines.append("")
    if status is not None:
        lines = [line for line in lines if not line.startswith("//status:")]
        if status:
            at = next((i for i, line in enumerate(lines) if OUTPUT.match(line)), len(lines) - 1)
            lines.insert(at, f"//status: {status}")
    return "\n".join(lines)
