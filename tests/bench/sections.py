# What is measured, section by section: the tool and its peers in turn within each round, on the same servers.
import json
import os
import subprocess
import time

from goals import at_least, at_most, unbounded
from runs import run
from servers import Server, cluster

RAW = "raw SCAN COUNT 1000, keys only"
SCAN = "ratectl scan -o ndjson"
XARGS = "redis-cli --scan | xargs -n1000 redis-cli mget"
LISTING = "redis-cli --scan '*:exp', keys only"
PYTHON = "Python, one MGET a page"
NODE = "Node, one MGET a page"
FILTERED = "ratectl scan --min-used 5000"
TOP = "ratectl scan --top 20"
UNNAMED = "ratectl scan --min-used 5000, no policy"
COUNT = "ratectl scan --count"
DOCTOR = "ratectl doctor -o ndjson"


def faster(name, than):
    """How many times the windows a second."""
    return lambda figures: figures.median(name, "windows_per_s") / figures.median(than, "windows_per_s")


def shorter(name, than):
    return lambda figures: figures.median(name) / figures.median(than)


def sweep(bench, figures):
    server, n = bench.first(), bench.windows
    peers = {PYTHON: bench.python_pipeline(server), NODE: bench.node_pipeline(server),
             LISTING: f"redis-cli -p {server.port} --scan --pattern '*:exp'",
             XARGS: f"redis-cli -p {server.port} --scan | xargs -n1000 redis-cli -p {server.port} mget"}
    for number in bench.rounds():
        for name, command in {RAW: bench.raw_scan(server), SCAN: bench.ratectl(server, "scan", "-o", "ndjson"),
                              FILTERED: filtered(bench, server),
                              TOP: bench.with_policy(server, "scan", "--top", "20", "-o", "ndjson"),
                              UNNAMED: bench.ratectl(server, "scan", "--min-used", "5000", "-o", "ndjson"),
                              COUNT: bench.ratectl(server, "scan", "--count", "-o", "ndjson"),
                              DOCTOR: bench.with_policy(server, "doctor", "-o", "ndjson"), **peers}.items():
            # What takes ten times as long is measured three times. 1: doctor has found something.
            if command and not (name in (XARGS, LISTING) and number >= 3):
                figures.add(name, run(command, [server], windows=n, allowed=(0, 1) if name == DOCTOR else (0,)))


def filtered(bench, server):
    return bench.with_policy(server, "scan", "--min-used", "5000", "-o", "ndjson")


SWEEP_GOALS = [
    at_most(2.0, "scan: server CPU / raw SCAN", lambda f: f.median(SCAN, "server_cpu") / f.median(RAW, "server_cpu")),
    at_least(0.55, "scan: windows/s / raw SCAN", faster(SCAN, RAW)),
    at_least(4, "scan: windows/s / redis-cli --scan | xargs mget", faster(SCAN, XARGS)),
    at_least(1.4, "scan: windows/s / best Python pipeline", faster(SCAN, PYTHON)),
    at_most(0.35, "scan: client CPU, s per million windows", lambda f: f.median(SCAN, "cpu_per_million")),
    at_most(32, "scan: peak memory, MB", lambda f: f.median(SCAN, "rss_mb")),
    at_most(1.3, "scan --min-used, under 1 % matching: wall / raw SCAN", shorter(FILTERED, RAW)),
    at_most(1.3, "scan --top 20: wall / raw SCAN", shorter(TOP, RAW)),
    unbounded("scan --min-used without a policy: wall / raw SCAN", shorter(UNNAMED, RAW)),
    at_most(2.0, "doctor: server CPU / scan", lambda f: f.median(DOCTOR, "server_cpu") / f.median(SCAN, "server_cpu")),
]

ONE_BY_ONE = "ratectl scan, one shard, then the other"
AT_ONCE = "ratectl scan, two shards at once"


def shards(bench, figures):
    first, second, n = bench.first(), bench.second(), bench.windows
    scans = [" ".join(bench.ratectl(server, "scan", "-o", "ndjson")) for server in (first, second)]
    both = [bench.binary, "-q", "-u", first.url, "-u", second.url, "--all-shards", "scan", "-o", "ndjson"]
    for _ in bench.rounds():
        figures.add(ONE_BY_ONE, run(" && ".join(scans), [first, second], windows=2 * n))
        figures.add(AT_ONCE, run(both, [first, second], windows=2 * n))


SHARDS_GOALS = [at_least(1.7, "two shards at once: windows/s / one after the other", faster(AT_ONCE, ONE_BY_ONE))]

CHECK = "ratectl check - -o ndjson"
LOCATE = "ratectl locate - -o ndjson, five shards"
BENCHMARK_MGET = "redis-benchmark -P 100 MGET of two keys"
BENCHMARK_CHECK = "redis-benchmark -P 100 EVALSHA_RO, a key a call"


def looks(bench, figures):
    server, n = bench.first(), bench.windows
    keys = bench.keys(n)
    sha = server.ask("SCRIPT", "LOAD", bench.script("application_check.lua"))
    mget = bench.redis_benchmark(server, n, "MGET", *bench.RANDOM_WINDOW)
    script = bench.redis_benchmark(server, n, "EVALSHA_RO", sha, 2, *bench.RANDOM_WINDOW, int(time.time()))
    check = bench.ratectl(server, "check", "-", "-o", "ndjson")
    locate = [bench.binary, "-q", "-c", bench.five_shards(), "locate", "-", "-o", "ndjson"]
    for _ in bench.rounds():
        figures.add(BENCHMARK_MGET, run(mget, [server], windows=n))
        figures.add(BENCHMARK_CHECK, run(script, [server], windows=n))
        figures.add(CHECK, run(check, [server], keys, windows=n))
        figures.add(LOCATE, run(locate, [], keys, windows=n))


LOOKS_GOALS = [
    at_least(1.3, "check -: windows/s / redis-benchmark MGET", faster(CHECK, BENCHMARK_MGET)),
    at_least(2.3, "check -: windows/s / EVALSHA_RO per key", faster(CHECK, BENCHMARK_CHECK)),
]

INCREMENT = "ratectl increment -"
REFUND = "ratectl refund - --amount 1"
RESET = "ratectl reset -"
RESET_PLAIN = "ratectl reset - --no-op-key"
APPLICATION_RATE = "redis-benchmark -P 100, the application's RATE"
SINGLE_RATE = "redis-benchmark -P 100, ratectl's script, a window a call"
UNLINK = "pipelined UNLINK, 100 in flight"


def writes(bench, figures):
    server, n = Server(bench.new_folder()), bench.write_windows
    keys, now, reset_at = bench.keys(n), int(time.time()), bench.reset_at
    rate = server.ask("SCRIPT", "LOAD", bench.script("application_rate.lua"))
    single = bench.single_rate(server, now, reset_at)

    def change(*words):
        journal = os.path.join(bench.new_folder(), "journal.db")
        return [bench.binary, "-q", "-c", bench.writable(server), "--journal", journal, *words, "-y", "-o", "ndjson"]

    def fill():
        server.ask("FLUSHALL")
        server.load(n, reset_at)

    try:
        for _ in bench.rounds():
            fill()
            command = ("EVALSHA", rate, 2, *bench.RANDOM_WINDOW, 1, reset_at, now)
            figures.add(APPLICATION_RATE, run(bench.redis_benchmark(server, n, *command), [server], windows=n))
            if single:
                few = n // 4  # it takes long
                figures.add(SINGLE_RATE, run(bench.redis_benchmark(server, few, *single), [server], windows=few))
                fill()
            figures.add(INCREMENT, run(change("increment", "-"), [server], keys, windows=n))
            figures.add(REFUND, run(change("refund", "-", "--amount", "1"), [server], keys, windows=n))
            figures.add(RESET, run(change("reset", "-"), [server], keys, windows=n))
            fill()
            figures.add(RESET_PLAIN, run(change("reset", "-", "--no-op-key"), [server], keys, windows=n))
            fill()
            figures.add(UNLINK, run([bench.program("pipelined_unlink"), server.port, 100], [server], keys, windows=n))
    finally:
        server.stop()


WRITES_GOALS = [
    at_least(1.3, "increment -: windows/s / the application's script", faster(INCREMENT, APPLICATION_RATE)),
    unbounded("increment -: windows/s / ratectl's script, a window a call", faster(INCREMENT, SINGLE_RATE)),
    at_least(0.3, "reset -: windows/s / pipelined UNLINK", faster(RESET, UNLINK)),
    at_least(0.5, "reset - --no-op-key: windows/s / pipelined UNLINK", faster(RESET_PLAIN, UNLINK)),
]

LIVE = "ratectl scan, live"
DUMP = "ratectl scan --rdb, page cache, one core"


def dump(bench, figures):
    if not bench.knows("--rdb"):
        return
    server, n = bench.first(), bench.windows
    server.ask("SAVE")
    path = os.path.join(server.folder, "dump.rdb")
    offline = ["taskset", "-c", "0", bench.binary, "-q", "scan", "--rdb", path, "-o", "ndjson"]
    live = bench.ratectl(server, "scan", "-o", "ndjson")
    for _ in bench.rounds():
        figures.add(LIVE, run(live, [server], windows=n))
        figures.add(DUMP, run(offline, windows=n))
    columns = ["--columns", "key,used,reset_at,state", "-o", "tsv"]
    if rows_of(bench, live[:-2] + columns) != rows_of(bench, offline[:-2] + columns):
        raise RuntimeError("scan --rdb and scan print different rows of the same data")


def rows_of(bench, command):
    """A digest of the rows, whatever their order."""
    path = os.path.join(bench.new_folder(), "digest")
    run(" ".join(command) + " | LC_ALL=C sort | sha256sum > " + path)
    with open(path) as digest:
        return digest.read()


DUMP_GOALS = [at_least(2, "scan --rdb: windows/s / live scan", faster(DUMP, LIVE))]

IDLE = "idle"
BESIDE_SCAN = "beside ratectl scan"
BESIDE_FILTER = "beside ratectl scan --min-used 5000"
BESIDE_CHECK = "beside ratectl check -"
BESIDE_RAW = "beside raw SCAN COUNT 1000"


def neighbours(bench, figures):
    server, n = bench.first(), bench.windows
    loads = {IDLE: None, BESIDE_SCAN: bench.ratectl(server, "scan", "-o", "ndjson"),
             BESIDE_FILTER: filtered(bench, server),
             BESIDE_CHECK: bench.ratectl(server, "check", "-", "-o", "ndjson"), BESIDE_RAW: bench.raw_scan(server)}
    for _ in bench.rounds():
        for name, command in loads.items():
            figures.add(name, neighbour_beside(bench, server, command, bench.keys(n)))


def neighbour_beside(bench, server, command, keys):
    neighbour = subprocess.Popen([bench.program("neighbour"), str(server.port), str(bench.windows)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        if command:
            run(command, [], keys)
        else:
            time.sleep(0.1)
    answer, _ = neighbour.communicate()
    return json.loads(answer)


def added(name):
    return lambda f: (f.median(name, "p99") - f.median(IDLE, "p99")) / 1000


NEIGHBOURS_GOALS = [
    unbounded("neighbours' p99 beside raw SCAN COUNT 1000: ms added", added(BESIDE_RAW)),
    unbounded("neighbours' p99 beside check -: ms added", added(BESIDE_CHECK)),
    at_most(1, "neighbours' p99 beside scan: ms added", added(BESIDE_SCAN)),
    at_most(1, "neighbours' p99 beside scan --min-used: ms added", added(BESIDE_FILTER)),
]

NEAR = "ratectl scan --max-latency 5ms, on this machine"
FAR = "ratectl scan --max-latency 5ms, a round trip of 1 ms away"
FAR_DEFAULT = "ratectl scan, a round trip of 1 ms away"


def distance(bench, figures):
    server, n = bench.first(), bench.windows
    relay = subprocess.Popen([bench.program("distant_server"), str(server.port), "500"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    far = f"redis://127.0.0.1:{int(relay.stdout.readline())}"
    patient = ["--max-latency", "5ms"] if bench.knows("--max-latency") else []

    def scan(url, *words):
        return [bench.binary, "-q", "-u", url, "scan", "-o", "ndjson", *words]

    try:
        for _ in bench.rounds():
            if patient:
                figures.add(NEAR, run(scan(server.url, *patient), [server], windows=n))
                figures.add(FAR, run(scan(far, *patient), [server], windows=n))
            figures.add(FAR_DEFAULT, run(scan(far), [server], windows=n))
    finally:
        relay.communicate()


DISTANCE_GOALS = [at_most(1.5, "scan --max-latency 5ms: a round trip of 1 ms / none", shorter(FAR, NEAR))]

GET = "redis-cli GET"
ONE_CHECK = "ratectl check"


def start_up(bench, figures):
    server, key = bench.first(), bench.key(42)
    path = os.path.join(bench.new_folder(), "hyperfine.json")
    commands = {GET: f"redis-cli -p {server.port} get {key}", ONE_CHECK: f"{bench.binary} -u {server.url} check {key}"}
    for _ in bench.rounds():
        run(["hyperfine", "-N", "--warmup", "10", "--runs", "100", "--export-json", path, *commands.values()])
        with open(path) as file:
            for name, result in zip(commands, json.load(file)["results"]):
                figures.add(name, {"wall": result["median"], "cpu": result["user"] + result["system"]})


START_GOALS = [at_most(0.6, "a single check: wall / redis-cli GET", shorter(ONE_CHECK, GET))]


def growth(bench, figures):
    """Five times the windows on one server, then on more; beside each a raw SCAN of the same servers, one by one."""
    n = bench.windows
    for count, windows in ((1, n), (1, 5 * n), (2, 5 * n), (8, 5 * n)):
        group = [Server(bench.new_folder()) for _ in range(count)]
        try:
            for number, server in enumerate(group):
                server.load(windows // count, bench.reset_at, number * (windows // count))
            urls = [word for server in group for word in ("-u", server.url)]
            sweeping = [bench.binary, "-q", *urls, *(["--all-shards"] if count > 1 else []), "scan", "-o", "ndjson"]
            walking = " && ".join(" ".join(bench.raw_scan(server)) for server in group)
            for _ in range(min(3, bench.round_count)):
                figures.add(grown(RAW, count, windows), run(walking, group, windows=windows))
                figures.add(grown(SCAN, count, windows), run(sweeping, group, windows=windows))
        finally:
            for server in group:
                server.stop()


def grown(what, count, windows):
    return f"{what}: {windows:,} windows, {count} shard{'s' if count > 1 else ''}"


def growth_goals(bench):
    n = bench.windows

    def client(count):
        many, few = grown(SCAN, count, 5 * n), grown(SCAN, 1, n)
        return lambda f: f.median(many, "cpu_per_million") / f.median(few, "cpu_per_million")

    def server(count):
        ours, raw = grown(SCAN, count, 5 * n), grown(RAW, count, 5 * n)
        return lambda f: f.median(ours, "server_cpu") / f.median(raw, "server_cpu")

    return [
        at_most(32, "five times the windows: peak memory, MB", lambda f: f.median(grown(SCAN, 1, 5 * n), "rss_mb")),
        at_most(1.3, "five times the windows: client CPU a window, times", client(1)),
        at_most(2.0, "five times the windows: server CPU / raw SCAN", server(1)),
        at_most(1.3, "the same on eight shards: client CPU a window, times", client(8)),
        at_most(2.0, "the same on eight shards: server CPU / raw SCAN", server(8)),
    ]


CHECK_SHARDS = "ratectl check -, three shards"
CHECK_CLUSTER = "ratectl check -, a Redis Cluster of three"
SCAN_SHARDS = "ratectl scan, three shards"
SCAN_CLUSTER = "ratectl scan, a Redis Cluster of three"


def slots(bench, figures):
    """The same windows on three shards and on the three primaries of a cluster, where ratectl itself has put them."""
    n = bench.windows
    keys = bench.tagged_keys(n)
    apart = [Server(bench.new_folder()) for _ in range(3)]
    together = []
    try:
        together = cluster([bench.new_folder() for _ in range(3)])
        kinds = [(apart, bench.three_shards(apart), CHECK_SHARDS, SCAN_SHARDS),
                 (together, bench.cluster(together), CHECK_CLUSTER, SCAN_CLUSTER)]
        for servers, settings, _, _ in kinds:
            fill = ["increment", "-", "--no-op-key", "--journal", os.path.join(bench.new_folder(), "journal.db"), "-y"]
            run([bench.binary, "-q", "-c", settings, *fill], servers, keys, windows=n)
        for _ in bench.rounds():
            for servers, settings, check, scan in kinds:
                ratectl = [bench.binary, "-q", "-c", settings]
                figures.add(check, run([*ratectl, "check", "-", "-o", "ndjson"], servers, keys, windows=n))
                figures.add(scan, run([*ratectl, "scan", "-o", "ndjson"], servers, windows=n))
    finally:
        for server in [*apart, *together]:
            server.stop()


def server_share(name, than):
    return lambda f: f.median(name, "server_cpu") / f.median(than, "server_cpu")


SLOTS_GOALS = [
    at_least(0.85, "check - on a Redis Cluster: windows/s / the same on three shards",
             faster(CHECK_CLUSTER, CHECK_SHARDS)),
    unbounded("check - on a Redis Cluster: server CPU / on three shards", server_share(CHECK_CLUSTER, CHECK_SHARDS)),
    at_least(0.85, "scan of a Redis Cluster: windows/s / the same on three shards", faster(SCAN_CLUSTER, SCAN_SHARDS)),
    unbounded("scan of a Redis Cluster: server CPU / on three shards", server_share(SCAN_CLUSTER, SCAN_SHARDS)),
]


def sections(bench):
    """Name -> what the table is called, what is run, what must hold."""
    return {
        "sweep": ("A sweep of one shard", sweep, SWEEP_GOALS),
        "shards": ("Two shards", shards, SHARDS_GOALS),
        "looks": ("Looks at named keys", looks, LOOKS_GOALS),
        "writes": ("Changes of named keys", writes, WRITES_GOALS),
        "dump": ("A dump file instead of a server", dump, DUMP_GOALS),
        "neighbours": ("Another client's GET meanwhile", neighbours, NEIGHBOURS_GOALS),
        "distance": ("A distant server", distance, DISTANCE_GOALS),
        "start": ("One key, process start included", start_up, START_GOALS),
        "cluster": ("A Redis Cluster beside as many shards", slots, SLOTS_GOALS),
        "growth": ("More windows, more shards", growth, growth_goals(bench)),
    }
