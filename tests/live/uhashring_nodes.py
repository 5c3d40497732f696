# Prints the node of each key (hexadecimal, one a line on standard input): uhashring_nodes.py default|ketama NODE=WEIGHT...
import sys

from uhashring import HashRing

nodes = {name: {"weight": int(weight)} for name, weight in (word.rsplit("=", 1) for word in sys.argv[2:])}
ring = HashRing(nodes=nodes, **({"hash_fn": "ketama"} if sys.argv[1] == "ketama" else {}))
for line in sys.stdin:
    print(ring.get_node(bytes.fromhex(line.strip()).decode()))
