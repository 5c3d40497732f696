"""An application on a Redis Cluster, by redis-py's cluster client. Arguments: a node as HOST:PORT, the script that counts, the
script that looks. Lines in: `rate KEY AMOUNT NEXT_RESET NOW` or `check KEY NOW`, the key in hexadecimal. Lines out: JSON of what
the script has answered."""
import json
import sys

from redis.cluster import RedisCluster

host, port = sys.argv[1].rsplit(":", 1)
scripts = {"rate": open(sys.argv[2]).read(), "check": open(sys.argv[3]).read()}
cluster = RedisCluster(host=host, port=int(port))

for line in sys.stdin:
    verb, key, *numbers = line.split()
    key = bytes.fromhex(key)
    answer = cluster.eval(scripts[verb], 2, key, key + b":exp", *numbers)
    print(json.dumps([int(number) for number in answer or []]))
