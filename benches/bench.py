"""What the benchmarks share: running programs in turn, figures with their spread, text tables and SVG plots.

Programs that are compared run in turn within one run, repeat by repeat, so that what else the machine does meets all
of them. Nothing is compared with another run."""
import argparse
import os
import pathlib
import platform

import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
METHODS = ("uring", "blocking", "uv")


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return f"{cpu}, {os.cpu_count()} CPUs, Linux {platform.release()}, load {os.getloadavg()[0]:.2f}"


def run(command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


clock = "wall"  # or "cpu": what the process itself was given, for a machine that does other work


def seconds(command, cwd=None, env=None):
    words = [str(word) for word in command]
    begin = time.perf_counter()
    process = subprocess.Popen(words, cwd=cwd, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return took if clock == "wall" else usage.ru_utime + usage.ru_stime


class Bench:
    """A folder for one run: programs built in it, one configuration per I/O method, and where plots go."""

    def __init__(self, nikaia, folder, plots):
        self.nikaia = pathlib.Path(nikaia).resolve()
        self.folder = pathlib.Path(folder)
        self.plots = pathlib.Path(plots)
        self.reports = {}

    def program(self, name, source, manifest="", profile="release"):
        """Builds a Nikaia project of one file and gives its folder and the program."""
        project = self.folder / name
        (project / "src").mkdir(parents=True)
        (project / "nikaia.toml").write_text(f'[package]\nname = "{name}"\nversion = "0.1.0"\n{manifest}')
        (project / "src/main.nika").write_text(source)
        run([self.nikaia, "build", "--profile", profile], project)
        return project / "target/nikaia" / profile / name

    def c_program(self, name, *libraries):
        made = self.folder / name
        run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", made, HERE / "io" / f"{name}.c", *libraries])
        return made

    def environment(self, method, more=""):
        """With `method` pinned, and `more` lines of configuration."""
        config = self.folder / f"{method}.toml"
        config.write_text(f'io-method = "{method}"\nio-workers = 2\n{more}')
        return dict(os.environ, NIKAIA_RUNTIME_CONFIG=str(config))

    def methods(self, program, *words):
        """The methods that serve here, with their environments; says what each reports of itself."""
        serving = {}
        for method in METHODS:
            env = self.environment(method)
            done = subprocess.run([program, *words], cwd=self.folder, env=dict(env, NIKAIA_RUNTIME_REPORT="1"),
                                  capture_output=True, text=True)
            if done.returncode == 78:
                print(f"{method} does not serve here")
                continue
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)
            print(done.stderr.splitlines()[0])
            serving[method] = env
        return serving

    def file(self, name, size):
        path = self.folder / name
        path.write_bytes(os.urandom(size))
        return path


class Figures:
    """Repeats of one figure."""

    def __init__(self, samples):
        self.samples = list(samples)
        self.mean = statistics.fmean(self.samples)
        self.low, self.high = min(self.samples), max(self.samples)
        self.deviation = statistics.stdev(self.samples) if len(self.samples) > 1 else 0.0

    def __str__(self):
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}] sd {self.deviation:.2f}"

    def signed(self):
        return f"{self.mean:+.2f} [{self.low:+.2f}, {self.high:+.2f}] sd {self.deviation:.2f}"


def minus(left, right):
    """Repeat by repeat, since the two of one repeat ran side by side."""
    return Figures(a - b for a, b in zip(left.samples, right.samples))


def over(left, right):
    return Figures(a / b for a, b in zip(left.samples, right.samples))


def in_turn(repeats, measures):
    """`measures`: name -> function that gives one sample. Name -> Figures."""
    samples = {name: [] for name in measures}
    for _ in range(repeats):
        for name, measure in measures.items():
            samples[name].append(measure())
    return {name: Figures(values) for name, values in samples.items()}


def table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(str(cell).ljust(width) for cell, width in zip(row, widths)) + " |")
    print(flush=True)


def bytes_text(size):
    for unit, text in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {text}"
    return f"{size} B"


COLOURS = ("#2563a8", "#c2541b", "#3f7d3a", "#7a4b9c", "#8c6d1f", "#444444")


def plot(path, title, unit, places, lines):
    """An SVG of `lines` (name -> one Figures or None for each place), with the range of each figure as a bar."""
    width, height, left, top, bottom, right = 760, 420, 70, 40, 50, 190
    shown = [f for figures in lines.values() for f in figures if f is not None]
    low, high = min(0.0, *(f.low for f in shown)), max(0.0, *(f.high for f in shown))
    span = (high - low) or 1.0

    def x(i):
        return left + (width - left - right) * (i + 0.5) / len(places)

    def y(value):
        return top + (height - top - bottom) * (high - value) / span

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15">{title}</text>',
           f'<text x="14" y="{height / 2}" transform="rotate(-90 14 {height / 2})" text-anchor="middle">{unit}</text>']
    for step in range(6):
        value = low + span * step / 5
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(0):.1f}" y2="{y(0):.1f}" stroke="black"/>')
    for i, place in enumerate(places):
        out.append(f'<text x="{x(i):.1f}" y="{height - bottom + 20}" text-anchor="middle">{place}</text>')
    for n, (name, figures) in enumerate(lines.items()):
        colour = COLOURS[n % len(COLOURS)]
        there = [(x(i) + 3 * n, f) for i, f in enumerate(figures) if f is not None]
        out.append('<polyline fill="none" stroke="{}" points="{}"/>'.format(
            colour, " ".join(f"{at:.1f},{y(f.mean):.1f}" for at, f in there)))
        for at, f in there:
            out.append(f'<circle cx="{at:.1f}" cy="{y(f.mean):.1f}" r="3" fill="{colour}"/>'
                       f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y(f.low):.1f}" y2="{y(f.high):.1f}" stroke="{colour}"/>')
        out.append(f'<text x="{width - right + 12}" y="{top + 18 * n + 10}" fill="{colour}">{name}</text>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
    print(f"plot: {path}", flush=True)


def start(main, about, repeats=9):
    """The command line every I/O benchmark has."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nikaia", required=True, help="the driver of the installation to measure")
    parser.add_argument("--repeats", type=int, default=repeats)
    parser.add_argument("--scale", type=float, default=1.0, help="of the full counts")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="cpu: what the process was given, for a machine that does other work")
    parser.add_argument("--plots", default="plots", help="where plots go")
    options = parser.parse_args()
    global clock
    clock = options.clock
    print(about.strip().splitlines()[0])
    print(f"{machine()}, {options.repeats} repeats, {clock} time; mean [range] deviation", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        main(Bench(options.nikaia, folder, options.plots), options)
    print(f"load afterwards {os.getloadavg()[0]:.2f}")
