"""What the drivers of Python's limiters share: arguments and lines as in driver.cjs."""
import json
import sys
from collections import namedtuple

Policy = namedtuple("Policy", "name text")


def policy_of(argument):
    name, limit, _, period = argument.split(":")
    multiple, unit = period.split("/")
    return Policy(name, f"{limit} per {multiple} {unit}")


socket = sys.argv[1]
policies = [policy_of(argument) for argument in sys.argv[2:]]


def within_second(end):
    """limits adds a TTL that Redis rounds to the next second to its clock, and cuts the sum to a second."""
    return [end * 1000 - 500, end * 1000 + 1500]


def serve(ask):
    """`ask(verb, client, policy, cost)` -> a dictionary of used, remaining, limited and reset, as far as they are known."""
    for line in sys.stdin:
        verb, client, policy, cost = line.split()
        said = ask(verb, client, policy, int(cost))
        print(json.dumps({name: said.get(name) for name in ("used", "remaining", "limited", "reset")}))
