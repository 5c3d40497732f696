# Sets keys (hexadecimal, one a line on standard input) through django-redis' ShardClient: django_shards.py LOCATION...
import sys

from django.conf import settings

settings.configure(
    CACHES={
        "default": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": sys.argv[1:],
            "OPTIONS": {"CLIENT_CLASS": "django_redis.client.ShardClient"},
        }
    }
)

from django.core.cache import cache  # noqa: E402  (needs the settings)

for line in sys.stdin:
    cache.set(bytes.fromhex(line.strip()).decode(), 1, timeout=None)
