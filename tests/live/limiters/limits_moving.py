"""The driver of Python's limits, its moving windows; see limiter_lines.py."""
from limits import parse
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter

from limiter_lines import policies, serve, socket

storage = RedisStorage(f"redis+unix://{socket}")
limiter = MovingWindowRateLimiter(storage)
items = {policy.name: parse(policy.text) for policy in policies}


def ask(verb, client, policy, cost):
    item, names = items[policy], (client, policy)
    limited = not (limiter.test(item, *names) if verb == "peek" else limiter.hit(item, *names, cost=cost))
    return {"remaining": limiter.get_window_stats(item, *names)[1], "limited": limited}


serve(ask)
