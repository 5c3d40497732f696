"""The driver of Python's limits, its fixed windows; see limiter_lines.py."""
import time

from limits import parse
from limits.storage import RedisStorage
from limits.strategies import FixedWindowRateLimiter

from limiter_lines import policies, serve, socket, within_second

storage = RedisStorage(f"redis+unix://{socket}")
limiter = FixedWindowRateLimiter(storage)
items = {policy.name: parse(policy.text) for policy in policies}


def stats(item, names):
    end, remaining = limiter.get_window_stats(item, *names)
    reset = within_second(end) if end > time.time() else None
    return {"used": storage.get(item.key_for(*names)), "remaining": remaining, "reset": reset}


def ask(verb, client, policy, cost):
    item, names = items[policy], (client, policy)
    if verb == "peek":
        return {**stats(item, names), "limited": not limiter.test(item, *names)}
    passed = limiter.hit(item, *names, cost=cost)
    return {**stats(item, names), "limited": not passed}


serve(ask)
