-- KEYS K1, K2 ...; reply: { type, value, pttl, pexpiretime } each.
local reply = {}
for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    reply[i] = { kind, kind == 'string' and redis.call('GETRANGE', key, 0, 65536), redis.call('PTTL', key),
        redis.call('PEXPIRETIME', key) }
end
return reply
