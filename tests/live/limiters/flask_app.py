"""The driver of Flask-Limiter; see limiter_lines.py. It has no look that does not count, and does not say how many were used."""
import logging

from flask import Flask, request

from flask_limiter import Limiter
from limiter_lines import policies, serve, socket, within_second

app = Flask("limited")
limiter = Limiter(
    lambda: request.headers["client"], app=app, storage_uri=f"redis+unix://{socket}", strategy="fixed-window",
    headers_enabled=True)
logging.getLogger("flask-limiter").setLevel(logging.CRITICAL)


def add_route(policy):
    def view():
        return "passed"

    view.__name__ = policy.name  # limits are known by it
    limited = limiter.limit(policy.text, cost=lambda: int(request.headers["cost"]))
    app.add_url_rule(f"/{policy.name}", policy.name, limited(view))


for policy in policies:
    add_route(policy)
visitor = app.test_client()


def ask(verb, client, policy, cost):
    if verb == "peek":
        return {}
    answer = visitor.get(f"/{policy}", headers={"client": client, "cost": str(cost)})
    # A second more than limits says.
    end = int(answer.headers["X-RateLimit-Reset"]) - 1
    return {
        "remaining": int(answer.headers["X-RateLimit-Remaining"]),
        "limited": answer.status_code == 429,
        "reset": within_second(end),
    }


serve(ask)
