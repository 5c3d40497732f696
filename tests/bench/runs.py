# One run of a program: how long it took, what it and the servers used. And what is said of several runs.
import os
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass


@dataclass
class Run:
    wall: float  # seconds
    cpu: float  # of the program and its children, seconds
    server_cpu: float  # of all servers together, seconds
    rss_mb: float  # the largest process
    windows: int = 0

    def as_json(self):
        return asdict(self)


def run(command, servers=(), stdin=None, stdout=subprocess.DEVNULL, windows=0, allowed=(0,)):
    """Runs a list, or a string through bash. Anything but an allowed exit code ends the benchmark."""
    words = ["bash", "-c", command] if isinstance(command, str) else [str(word) for word in command]
    # A child's peak memory begins with what its parent had: a small parent in between keeps Python's out of it.
    peak = os.path.join(os.environ["TMPDIR"], "peak")
    words = ["/usr/bin/time", "-o", peak, "-f", "%M", *words]
    before = sum(server.cpu() for server in servers)
    heard = os.path.join(os.environ["TMPDIR"], "stderr")
    with open(stdin or os.devnull, "rb") as source, open(heard, "w+b") as messages:
        begin = time.perf_counter()
        process = subprocess.Popen(words, stdin=source, stdout=stdout, stderr=messages)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in allowed:
            messages.seek(0)
            said = messages.read().decode()[-2000:]
            raise RuntimeError(f"exit code {process.returncode} of: {' '.join(words)}\n{said}")
    server_cpu = sum(server.cpu() for server in servers) - before
    with open(peak) as file:
        rss_mb = int(file.read().split()[-1]) / 1024
    return Run(wall, used.ru_utime + used.ru_stime, server_cpu, rss_mb, windows)


class Figures:
    """All runs of a section, by name, in the order in which the names first came."""

    def __init__(self):
        self.runs = {}

    def add(self, name, measured):
        self.runs.setdefault(name, []).append(measured)

    def has(self, *names):
        return all(name in self.runs for name in names)

    def values(self, name, what):
        """`what`: a field of Run, or windows_per_s, or one of those that are told per million windows."""
        return [value_of(one, what) for one in self.runs[name]]

    def median(self, name, what="wall"):
        return statistics.median(self.values(name, what))

    def spread(self, name, what="wall"):
        values = self.values(name, what)
        return min(values), max(values)


def value_of(one, what):
    if isinstance(one, dict):
        return one[what]
    if what == "windows_per_s":
        return one.windows / one.wall
    if what.endswith("_per_million"):
        return getattr(one, what.removesuffix("_per_million")) / one.windows * 1e6
    return getattr(one, what)
