# What a careful person writes in Python: SCAN for expiry halves, one MGET of both halves of a page, a line a window.
#   python_pipeline.py PORT
import sys

import redis

server = redis.Redis(port=int(sys.argv[1]))
write = sys.stdout.buffer.write
cursor = None
while cursor != 0:
    cursor, halves = server.scan(cursor or 0, match="*:exp", count=1000)
    if not halves:
        continue
    keys = []
    for half in halves:
        keys.append(half[:-4])
        keys.append(half)
    values = server.mget(keys)
    write(b"".join(b"%s %s %s\n" % (keys[i], values[i] or b"-", values[i + 1] or b"-") for i in range(0, len(keys), 2)))
