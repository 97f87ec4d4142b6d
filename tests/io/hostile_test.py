"""Programs in hostile places: a system call refused, no memory to lock, few descriptors, disks that are full or cannot
be written to, files whose size lies, that wait or that shrink, names that are no text or too long. On every backend, alone
(the calling thread reads) and by a task (the backend does): the right answer or a clear error, no hang."""
import ctypes
import resource
import struct
import threading
import time

from io_tests import *

TOOL = """
use std::cli
use std::fs

fn act(verb: ref String, path: ref String, text: ref String) -> String throws {
    return match verb {
        "read" => fs::read_to_string(path, fs::Root::Anywhere)
        "size" => f"{fs::read(path, fs::Root::Anywhere).len()}"
        "map" => f"{fs::map(path, fs::Root::Anywhere).len()}"
        "write" => {
            fs::write(path, fs::Root::Anywhere, text)
            "written"
        }
        "writer" => {
            let mut to = fs::create(path, fs::Root::Anywhere)
            to.write(text)
            to.close()
            "written"
        }
        "make" => {
            fs::create_dir(path, fs::Root::Anywhere)
            "made"
        }
        "walk" => fs::walk(path, fs::Root::Anywhere).join(" ")
        "list" => fs::read_dir(path, fs::Root::Anywhere).join(" ")
        else => f"{fs::exists(path, fs::Root::Anywhere)}"
    }
}

fn many(path: ref String) -> i64 throws {
    let (a, b, c, d) = overlap {
        fs::read(path, fs::Root::Anywhere).len()
        fs::read(path, fs::Root::Anywhere).len()
        fs::read(path, fs::Root::Anywhere).len()
        fs::read(path, fs::Root::Anywhere).len()
    }
    return a + b + c + d
}

fn main() throws {
    let args = cli::args()
    let by = args.nth(1) ?? ""
    let verb = args.nth(2) ?? ""
    let path = args.nth(3) ?? ""
    let text = args.nth(4) ?? ""
    if by == "many" {
        println(f"{many(path)}")
        return
    }
    if by == "main" {
        println(act(verb, path, text))
        return
    }
    let task = spawn fn { act(verb, path, text) }
    println(task.join())
}
"""

# Two tasks read standard input beside each other: how many lines each got, and the sum of their numbers.
READERS = """\
use std::io

fn read() -> (i64, i64) throws {
    let mut count = 0
    let mut sum = 0
    for line in io::lines() {
        count += 1
        let number: i64 = line.parse() ?? 0
        sum += number
    }
    return (count, sum)
}

fn main() throws {
    let first = spawn fn { read() }
    let second = spawn fn { read() }
    let (a, x) = first.join()
    let (b, y) = second.join()
    println(f"{a + b} {x + y} {a > 0 && b > 0}")
}
"""

SETUP_CALL = 425  # io_uring_setup, on every architecture this runs on
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2


def refuse_ring(error):
    """Before exec: io_uring_setup fails with `error` in the child."""
    program = b"".join(struct.pack("HBBI", *line) for line in (
        (0x20, 0, 0, 0),                       # load the call's number
        (0x15, 0, 1, SETUP_CALL),              # is it?
        (0x06, 0, 0, 0x00050000 | error),      # errno
        (0x06, 0, 0, 0x7FFF0000)))             # allow
    buffer = ctypes.create_string_buffer(program)
    head = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
    keep = ctypes.create_string_buffer(head)

    def apply():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        if libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(keep), 0, 0) != 0:
            os._exit(99)
        apply.held = buffer

    apply.held = buffer
    return apply


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


class Hostile(IoTest):
    def tool(self, *words, env=None, before=None, timeout=60, cwd=None):
        done = subprocess.run([str(self.program(TOOL)), *words], cwd=cwd or self.folder, env={**self.environment, **(env or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=before, timeout=timeout)
        from driver import Run
        return Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def everywhere(self):
        """(environment, who performs): each backend that serves, alone and by a task."""
        return [(self.pinned(method), by) for method in SHIPPED if self.serves(method) for by in ("main", "task")]

    def each(self, words, status, *parts, out=None, before=None):
        for env, by in self.everywhere():
            with self.subTest(words=[str(word)[:40] for word in words], by=by, env=env):
                self.check(self.tool(by, *words, env=env, before=before), status, *parts, out=out)

    # --- What the system refuses -----------------------------------------------------------------------------------

    def test_a_refused_ring_is_passed_over_and_named(self):
        self.write("a.txt", "a")
        for error, words in ((1, "the default profile of Docker and containerd does this"), (38, "ENOSYS")):
            env = {**self.pinned("auto"), "NIKAIA_RUNTIME_REPORT": "1"}
            run = self.tool("task", "read", "a.txt", env=env, before=refuse_ring(error))
            self.check(run, 0, "io-method=auto (chose blocking: uring: ", words, out="a\n")
            run = self.tool("task", "read", "a.txt", env=self.pinned("uring"), before=refuse_ring(error))
            self.check(run, 78, words, "blocking", out="")

    def test_no_memory_to_lock(self):
        self.write("a.txt", "a")
        env = {**self.pinned("auto"), "NIKAIA_RUNTIME_REPORT": "1"}
        run = self.tool("task", "read", "a.txt", env=env, before=limited(resource.RLIMIT_MEMLOCK, 0))
        self.check(run, 0, "io-method=auto (chose ", out="a\n")

    def test_few_descriptors(self):
        self.write("a.txt", "abc")
        few = limited(resource.RLIMIT_NOFILE, 16)
        for env, by in self.everywhere():
            self.check(self.tool(by, "read", "a.txt", env=env, before=few), 0, out="abc\n")
            self.check(self.tool("many", "", "a.txt", env=env, before=few), 0, out="12\n")

    def test_no_descriptor_left(self):
        self.write("a.txt", "abc")
        for method in SHIPPED:
            for limit in range(3, 16):
                run = self.tool("many", "", "a.txt", env=self.pinned(method), before=limited(resource.RLIMIT_NOFILE, limit))
                with self.subTest(method=method, limit=limit):
                    self.assertIn(run.status, (0, 1, 78, 127), run.err)
                    self.assertEqual(run.out, "12\n" if run.status == 0 else "")
                    self.assertTrue(run.status == 0 or run.err)

    # --- Disks -----------------------------------------------------------------------------------------------------

    def test_a_full_device(self):
        self.each(("write", "/dev/full", "text"), 1, "No space left on device", out="")

    def mounted(self, options, *words, env=None, by="task"):
        """The tool with a file system of its own mounted on `disk`, or None where mounting is not allowed."""
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        line = " ".join([f"mount -t tmpfs -o size=64k none {disk} && echo there > {disk}/there &&",
                         f"mount -o remount,{options} {disk} || exit 200; exec \"$@\""])
        run = self.run_command(["unshare", "-m", "sh", "-c", line, "sh", self.program(TOOL), by, *words], env=env)
        return None if run.status == 200 or "unshare" in run.err else run

    def test_a_file_system_that_cannot_be_written_to(self):
        disk = self.folder / "disk"
        for env, by in self.everywhere():
            for words in (("write", disk / "new", "text"), ("writer", disk / "new", "text"), ("make", disk / "d")):
                run = self.mounted("ro", *words, env=env, by=by)
                if run is None:
                    self.skipTest("mounting is not allowed here")
                self.check(run, 1, "Read-only file system", out="")
            self.check(self.mounted("ro", "read", disk / "there", env=env, by=by), 0, out="there\n\n")

    def test_a_file_system_that_is_full(self):
        disk = self.folder / "disk"
        for env, by in self.everywhere():
            for verb in ("write", "writer"):
                run = self.mounted("size=64k", verb, disk / "new", "x" * 100_000, env=env, by=by)
                if run is None:
                    self.skipTest("mounting is not allowed here")
                self.check(run, 1, "No space left on device", out="")

    # --- Files that are not what they seem -------------------------------------------------------------------------

    def test_files_whose_size_lies(self):
        version = Path("/proc/version").read_text()
        self.each(("read", "/proc/version"), 0, out=version + "\n")
        self.each(("size", "/proc/kallsyms"), 0, out=f"{len(Path('/proc/kallsyms').read_bytes())}\n")
        says_page = Path("/sys/kernel/mm/transparent_hugepage/enabled")
        if says_page.exists():
            self.assertEqual(says_page.stat().st_size, 4096)
            self.each(("read", says_page), 0, out=says_page.read_text() + "\n")

    def test_a_fifo_is_read_to_its_end(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        text = "line\n" * 40_000
        for env, by in self.everywhere():
            writer = threading.Thread(target=lambda: fifo.write_text(text))
            writer.start()
            self.check(self.tool(by, "size", fifo, env=env), 0, out=f"{len(text)}\n")
            writer.join()

    def test_tasks_that_read_standard_input_beside_each_other(self):
        count = 100_000  # more than a piece, and lines lie across its ends
        text = self.write("numbers.txt", "".join(f"{i}\n" for i in range(count)))
        program = self.program(READERS)
        for method in (m for m in SHIPPED if self.serves(m)):
            with self.subTest(method=method), open(text, "rb") as numbers:
                done = subprocess.run([program], stdin=numbers, capture_output=True, timeout=60,
                                      env={**self.environment, **self.pinned(method)})
                self.assertEqual((done.returncode, done.stdout.decode()), (0, f"{count} {count * (count - 1) // 2} true\n"))

    def test_a_directory_is_no_file(self):
        self.each(("read", "."), 1, "Is a directory", out="")
        self.each(("map", "."), 1, out="")

    def test_files_that_shrink_while_they_are_read(self):
        path = self.folder / "shrinks"
        stop = threading.Event()

        def shrink_and_grow():
            while not stop.is_set():
                path.write_bytes(b"x" * 300_000)
                os.truncate(path, 100)

        path.write_bytes(b"x" * 300_000)
        worker = threading.Thread(target=shrink_and_grow)
        worker.start()
        try:
            for env, by in self.everywhere():
                for _ in range(20):
                    run = self.tool(by, "size", path, env=env)
                    self.check(run, 0)
                    self.assertLessEqual(int(run.out), 300_000)
        finally:
            stop.set()
            worker.join()

    # --- Names -----------------------------------------------------------------------------------------------------

    def test_names_that_are_no_text(self):
        folder = os.fsencode(self.folder / "odd")
        os.mkdir(folder)
        with open(folder + b"/caf\xe9", "wb") as made:
            made.write(b"x")
        self.each(("walk", "odd"), 1, "UTF-8", out="")
        self.each(("list", "odd"), 1, "UTF-8", out="")

    def test_names_that_are_too_long(self):
        for long in ("x" * 300, "d/" * 32_768 + "x", "/" + "y" * 65_535):
            for verb in ("read", "write", "writer", "map", "make", "walk", "list"):
                self.each((verb, long), 1, "File name too long", out="")

    def test_names_that_are_not_there(self):
        for name in ("", "missing", "missing/x", "a.txt/x"):
            self.write("a.txt", "a")
            self.each(("read", name), 1, out="")

    def test_a_name_with_a_zero_is_none(self):
        source = ('use std::fs\nfn main() throws {\n    let name = f"a{0 as u8 as char}b"\n'
                  '    println(fs::read_to_string(name, fs::Root::Anywhere))\n}\n')
        self.write("a", "wrong")
        run = self.run_command([self.program(source)])
        self.check(run, 1, "Invalid argument", out="")


if __name__ == "__main__":
    unittest.main()
