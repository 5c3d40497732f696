-- Up to 100 counters of one shard as a script sees them; reads only, so it runs on replicas (EVAL_RO).
--
-- KEYS   K1, K2 ...
-- ARGV   none
-- reply  one array a counter: { type, value, pttl, when it expires }; the value is nil unless its type is string, and
--        never longer than 65,537 bytes. The last is PEXPIRETIME, and before Redis 7 what TIME says.
-- cost   a counter: TYPE, GETRANGE, PTTL, PEXPIRETIME.

local seven = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000
local time = not seven and redis.call('TIME')
local reply = {}
for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    reply[i] = { kind, kind == 'string' and redis.call('GETRANGE', key, 0, 65536), redis.call('PTTL', key),
        time or redis.call('PEXPIRETIME', key) }
end
return reply
