-- CHECK: both halves of up to 100 windows of one shard as a script sees them; reads only, so it runs on replicas
-- (EVAL_RO).
--
-- KEYS   K1, K1:exp, K2, K2:exp ...
-- ARGV   none: whether a window is open is judged from the strings, by the caller, which knows the application's clock.
-- reply  one array a window: { type_K, value_K, pttl_K, type_E, value_E, pttl_E }; a value is nil unless its type is
--        string, and never longer than 65,537 bytes (the rest is cut: no half of a window is longer than 65,536).
-- cost   per window 2 TYPE, 2 GETRANGE, 2 PTTL.
--
-- On replicas before Redis 7 a plain read hides a key that is logically expired, while scripts, the application's
-- included, still see it (PTTL 0); this is the look that shows it.

local function half(reply, key)
    local kind = redis.call('TYPE', key).ok
    reply[#reply + 1] = kind
    reply[#reply + 1] = kind == 'string' and redis.call('GETRANGE', key, 0, 65536)
    reply[#reply + 1] = redis.call('PTTL', key)
end

local reply = {}
for i = 1, #KEYS / 2 do
    local window = {}
    half(window, KEYS[2 * i - 1])
    half(window, KEYS[2 * i])
    reply[i] = window
end
return reply
