# What all sections share: the servers with their data, the peers' command lines, the settings.
import os
import platform
import shutil
import subprocess
import sys
import time

from servers import Refused, Server


class Bench:
    RANDOM_WINDOW = ("core:user:__rand_int__", "core:user:__rand_int__:exp")
    TAGGED = "{{core:user:{client}}}"

    def __init__(self, root, binaries, folder, windows, rounds):
        self.root, self.folder, self.windows, self.round_count = root, folder, windows, rounds
        self.binary = os.path.join(binaries, "ratectl")
        self.programs = os.path.join(binaries, "bench")
        self.reset_at = int(time.time()) + 86400
        self.write_windows = min(windows, 200_000)
        self.folders = 0
        self.running = {}
        self.help = subprocess.run([self.binary, "help", "scan"], capture_output=True, text=True, check=True).stdout

    def stop(self):
        for server in self.running.values():
            server.stop()

    def surroundings(self):
        version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True).stdout.split()[2]
        redis = version.removeprefix("v=")
        return f"{os.cpu_count()} CPUs, {platform.machine()}, Redis {redis} on loopback, without TLS"

    def rounds(self):
        return range(self.round_count)

    def knows(self, flag):
        return flag in self.help

    def new_folder(self):
        self.folders += 1
        return self._made(os.path.join(self.folder, str(self.folders)))

    @staticmethod
    def _made(path):
        os.makedirs(path, exist_ok=True)
        return path

    def program(self, name):
        return os.path.join(self.programs, name)

    def first(self):
        return self._loaded("first")

    def second(self):
        return self._loaded("second")

    def _loaded(self, name):
        if name not in self.running:
            self.running[name] = Server(os.path.join(self.folder, name))
            self.running[name].load(self.windows, self.reset_at)
        return self.running[name]

    def tagged_keys(self, count):
        """The same, each window in one slot of a Redis Cluster."""
        path = os.path.join(self.folder, f"tagged-{count}")
        if not os.path.exists(path):
            with open(self.keys(count)) as plain, open(path, "w") as file:
                file.writelines(f"{{{line.strip()}}}\n" for line in plain)
        return path

    @staticmethod
    def key(number):
        return f"core:user:{number:012}"

    def keys(self, count):
        """A file of so many keys, in an order that is not the one in which they were loaded."""
        path = os.path.join(self.folder, f"keys-{count}")
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.writelines(self.key(i * 7_919 % count) + "\n" for i in range(count))
        return path

    def script(self, name):
        with open(os.path.join(self.root, "tests", "bench", name)) as file:
            return file.read()

    def ratectl(self, server, *words):
        return [self.binary, "-q", "-u", server.url, *words]

    def with_policy(self, server, *words):
        """As most deployments have it: a template says which keys are windows."""
        return self.ratectl(server, "--key", "core:user:{client}", *words)

    def raw_scan(self, server):
        return [self.program("raw_scan"), str(server.port)]

    def redis_benchmark(self, server, requests, *words):
        return ["redis-benchmark", "-q", "-p", server.port, "-c", "1", "-P", "100", "-n", requests, "-r",
                min(requests, self.windows), *words]

    def python_pipeline(self, server):
        """None where no Python here has its Redis client with the quick parser."""
        for python in (sys.executable, "/usr/bin/python3"):
            if subprocess.run([python, "-c", "import redis, hiredis"], capture_output=True).returncode == 0:
                return [python, os.path.join(self.root, "tests", "bench", "python_pipeline.py"), str(server.port)]
        return None

    def node_pipeline(self, server):
        if not shutil.which("node"):
            return None
        path = os.path.join(self.root, "tests", "bench", "node_pipeline.js")
        found = ("for (const name of ['ioredis', 'redis']) "
                 "try { require.resolve(name); process.exit(0) } catch (e) {}; process.exit(1)")
        if subprocess.run(["node", "-e", found], cwd=os.path.dirname(path), capture_output=True).returncode != 0:
            return None
        return ["node", path, str(server.port)]

    def single_rate(self, server, now, reset_at):
        """One call of ratectl's own counting script for one window, its record of the operation included."""
        text = ""
        for part in ("packing", "validation", "operation", "rate"):
            with open(os.path.join(self.root, "lua", part + ".lua")) as file:
                text += file.read() + "\n"
        sha = server.ask("SCRIPT", "LOAD", text)
        frame = ("", "fingerprint", "bench", "bench", "", "o", "1111111")
        window = (1, reset_at, now, "", "", "", "")
        words = ("EVALSHA", sha, 3, *self.RANDOM_WINDOW, "ratectl:op:__rand_int__", *frame, *window)
        try:
            server.ask(*words)
        except Refused as refused:
            print(f"left out: lua/rate.lua takes other arguments than it is given here: {refused}", file=sys.stderr)
            return None
        return words

    def writable(self, server):
        return self._settings("writable.toml", [server.port])

    def five_shards(self):
        return self._settings("five.toml", range(7001, 7006))

    def three_shards(self, servers):
        return self._settings("three.toml", [server.port for server in servers], self.TAGGED)

    def cluster(self, nodes):
        path = os.path.join(self.folder, "cluster.toml")
        with open(path, "w") as file:
            file.write(f'[deployments.bench]\nkind = "cluster"\nwrites = "allow"\nnodes = ["{nodes[0].url}"]\n'
                       f'[[deployments.bench.policies]]\nname = "core"\nkey = "{self.TAGGED}"\n'
                       'limit = 5000\nperiod = "1h"\n')
        return path

    def _settings(self, name, ports, key="core:user:{client}"):
        shards = "".join(f'[[deployments.bench.shards]]\nname = "s{i}"\nprimary = "redis://127.0.0.1:{port}"\n'
                         for i, port in enumerate(ports))
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(f'[deployments.bench]\nsharding = "redis-rb-5"\nwrites = "allow"\n{shards}'
                       '[[deployments.bench.policies]]\nname = "core"\n'
                       f'key = "{key}"\nlimit = 5000\nperiod = "1h"\n')
        return path
