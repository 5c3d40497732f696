-- RESET: removes both halves of up to 100 windows of one shard and returns what it removed.
--
-- KEYS   K1, K1:exp, K2, K2:exp ...
-- ARGV   two a window: if_reset (remove only that window), if_used_at_least; each a canonical integer within
--        +-(2^53-1), or empty for no such guard. Arguments of the whole call would stand in front; there are kHead of them.
-- reply  { server_ms, window... }, a window being { word, used_before, reset_before, nil, nil, nil, counter_expires_ms,
--        expiry_expires_ms }: strings as stored, nil where there is none; expiries absolute on the server's clock. Words:
--        `applied`, `absent` (both halves), or why nothing was removed: `window-changed`, `used-too-low`, `wrong-type`,
--        `too-large`, `not-an-integer` (only where a guard has to compare it), `bad-argument`.
-- error  NOPERM or ERR unknown command, before anything is removed, when this user may not run a command used below.
-- cost   per window 2 TYPE, 2 STRLEN, 2 GET, 2 PEXPIRETIME (PTTL before Redis 7), 1 DEL.

local server_ms
local knows_expiretime = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000

local function expires_ms(key)
    local at
    if knows_expiretime then
        at = redis.call('PEXPIRETIME', key)
    else
        at = redis.call('PTTL', key)
        if at >= 0 then at = server_ms + at end
    end
    return at >= 0 and decimal(at)
end

local function kept_by_guard(used, reset, if_reset, if_used_at_least)
    if if_reset ~= '' and reset ~= if_reset then return 'window-changed' end
    if if_used_at_least == '' then return nil end
    if not used then return 'used-too-low' end
    local count = integer(used)
    if not count then return 'not-an-integer' end
    return count < integer(if_used_at_least) and 'used-too-low' or nil
end

local function reset_window(key, expiry, if_reset, if_used_at_least)
    if (if_reset ~= '' and not integer(if_reset)) or (if_used_at_least ~= '' and not integer(if_used_at_least)) then
        return { 'bad-argument' }
    end
    local used, used_fault = stored(key)
    local reset, reset_fault = stored(expiry)
    local function kept(word) return { word, used or false, reset or false } end
    if used_fault or reset_fault then return kept(used_fault or reset_fault) end
    if not used and not reset then return kept('absent') end
    local guard = kept_by_guard(used, reset, if_reset, if_used_at_least)
    if guard then return kept(guard) end

    local removed = { 'applied', used, reset, false, false, false, expires_ms(key), expires_ms(expiry) }
    redis.call('DEL', key, expiry)
    return removed
end

if #KEYS == 0 or #ARGV ~= kHead + #KEYS / 2 * 2 then return redis.error_reply('ERR wrong number of arguments') end
local refusal = forbidden({ { 'time' }, { 'type', KEYS[1] }, { 'strlen', KEYS[1] }, { 'get', KEYS[1] },
    { knows_expiretime and 'pexpiretime' or 'pttl', KEYS[1] }, { 'del', KEYS[1] } })
if refusal then return refusal end

local time = redis.call('TIME')
server_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local reply = { decimal(server_ms) }
for i = 1, #KEYS / 2 do
    local first = kHead + 2 * i - 1
    reply[i + 1] = reset_window(KEYS[2 * i - 1], KEYS[2 * i], ARGV[first], ARGV[first + 1])
end
return reply
