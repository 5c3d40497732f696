-- Up to 100 windows of one string each, of one shard, as a script sees them; reads only, so it runs on replicas
-- (EVAL_RO).
--
-- KEYS   K1, K2 ...
-- ARGV   timed (`1`: the server's clock is asked, too)
-- reply  one array a window: { type, value, pttl, when it expires, the time }; the value is nil unless its type is
--        string, and never longer than 65,537 bytes. When it expires is PEXPIRETIME; before Redis 7 TIME stands there,
--        and the array ends with it, as it does before the time where that is not asked.
-- cost   a window: TYPE, GETRANGE, PTTL, PEXPIRETIME.

local seven = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000
local time = (not seven or ARGV[1] == '1') and redis.call('TIME')
local reply = {}
for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    reply[i] = { kind, kind == 'string' and redis.call('GETRANGE', key, 0, 65536), redis.call('PTTL', key),
        seven and redis.call('PEXPIRETIME', key) or time, seven and time or nil }
end
return reply
