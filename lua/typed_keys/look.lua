-- Up to 100 windows of one shard as a script sees them, whatever type their keys have; reads only, so it runs on
-- replicas (EVAL_RO).
--
-- KEYS   those of the first window, of the second ...
-- ARGV   timed (`1`: the server's clock is asked, too), then of each key that a window has: its type, the command that
--        reads it, how many arguments that has behind the key, and these
-- reply  one array a window: { type, value, pttl, when it expires ... the time }; the value is nil where the type is
--        another. When it expires is PEXPIRETIME, and the time stands behind where it is asked; before Redis 7 there is
--        no such thing, and the time always stands behind.
-- cost   a key: TYPE, the command that reads it, PTTL, PEXPIRETIME.

local seven = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000
local time = (not seven or ARGV[1] == '1') and redis.call('TIME')
local parts, at = {}, 2
while at <= #ARGV do
    local behind = at + 2 + tonumber(ARGV[at + 2])
    parts[#parts + 1] = { type = ARGV[at], command = ARGV[at + 1], arguments = { unpack(ARGV, at + 3, behind) } }
    at = behind + 1
end

local reply = {}
for first = 1, #KEYS, #parts do
    local window = {}
    for i, part in ipairs(parts) do
        local key = KEYS[first + i - 1]
        local kind = redis.call('TYPE', key).ok
        window[#window + 1] = kind
        window[#window + 1] = kind == part.type and redis.call(part.command, key, unpack(part.arguments))
        window[#window + 1] = redis.call('PTTL', key)
        if seven then window[#window + 1] = redis.call('PEXPIRETIME', key) end
    end
    if time then window[#window + 1] = time end
    reply[#reply + 1] = window
end
return reply
