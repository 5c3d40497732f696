# The benchmark's own Redis servers: started on free loopback ports, filled, asked for their CPU time, ended.
import os
import random
import socket
import subprocess
import time

PROGRAMS = None  # folder of the programs of tests/bench; set by scripts/bench


class Refused(Exception):
    """An error reply."""


class Server:
    def __init__(self, folder, *arguments):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for _ in range(20):  # a free port can be taken by somebody else meanwhile
            self.port = random.randint(20000, 29999)
            log = open(os.path.join(folder, "log"), "wb")
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                 "--appendonly", "no", "--daemonize", "no", *arguments], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            if self._answers():
                return
        raise RuntimeError(f"no redis-server would start; see {folder}/log")

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def _answers(self):
        for _ in range(100):
            if self.process.poll() is not None:
                return False
            try:
                return self.ask("PING") == "PONG" and int(self.info("server")["process_id"]) == self.process.pid
            except OSError:
                time.sleep(0.05)
        return False

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ask(self, *words):
        request = b"*%d\r\n" % len(words)
        for word in words:
            word = str(word).encode()
            request += b"$%d\r\n%s\r\n" % (len(word), word)
        with socket.create_connection(("127.0.0.1", self.port)) as connection, connection.makefile("rb") as replies:
            connection.sendall(request)
            return read_reply(replies)

    def info(self, section):
        lines = [line.split(":", 1) for line in self.ask("INFO", section).splitlines() if ":" in line]
        return dict(lines)

    def cpu(self):
        facts = self.info("cpu")
        return float(facts["used_cpu_user"]) + float(facts["used_cpu_sys"])

    def load(self, windows, reset_at, first=0):
        words = [os.path.join(PROGRAMS, "load_windows"), self.port, first, windows, reset_at]
        subprocess.run([str(word) for word in words], check=True)


def cluster(folders):
    """The primaries of a Redis Cluster with even shares of the slots, once all of them say that it is well."""
    nodes = [Server(folder, "--cluster-enabled", "yes") for folder in folders]
    for number, node in enumerate(nodes):
        first, end = (16384 * at // len(nodes) for at in (number, number + 1))
        node.ask("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port)
    for _ in range(600):
        told = [node.ask("CLUSTER", "INFO") for node in nodes]
        if all("cluster_state:ok" in text and f"cluster_known_nodes:{len(nodes)}" in text for text in told):
            return nodes
        time.sleep(0.1)
    raise RuntimeError("the Redis Cluster does not come up")


def read_reply(replies):
    line = replies.readline()[:-2]
    kind, rest = line[:1], line[1:].decode()
    if kind == b"-":
        raise Refused(rest)
    if kind == b"+":
        return rest
    if kind == b":":
        return int(rest)
    if int(rest) < 0:
        return None
    if kind == b"$":
        return replies.read(int(rest) + 2)[:-2].decode(errors="backslashreplace")
    return [read_reply(replies) for _ in range(int(rest))]
