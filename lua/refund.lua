-- REFUND: gives requests back inside up to 100 windows of one shard; never creates a key, never touches a TTL.
--
-- KEYS   K1, K1:exp, K2, K2:exp ...
-- ARGV   four a window: amount, if_reset (the window that was looked at), clamp (`0` or `1`), now; canonical integers
--        within +-(2^53-1), amount >= 0. Arguments of the whole call would stand in front; there are kHead of them.
-- reply  { server_ms, window... }, a window being { word, used_before, reset_before, used_after, reset_after, taken }:
--        strings as stored, nil where there is none. Words: `applied`, `nothing-to-take` (clamp, and nothing was there), or
--        why nothing was written: `no-window`, `window-changed`, `closed`, `below-zero`, `wrong-type`, `too-large`,
--        `not-an-integer`, `bad-argument`.
-- error  NOPERM or ERR unknown command, before anything is written, when this user may not run a command used below.
-- cost   per window 2 TYPE, 2 STRLEN, 2 GET, 1 DECRBY.

-- Why the halves are not the window that was looked at, open at `at`; nil when they are.
local function not_that_window(used, reset, if_reset, at)
    if not used and not reset then return 'no-window' end
    if reset ~= if_reset then return reset and not integer(reset) and 'not-an-integer' or 'window-changed' end
    if integer(reset) < at then return 'closed' end
    if not used then return 'no-window' end
    return not integer(used) and 'not-an-integer' or nil
end

local function refund(key, expiry, amount, if_reset, clamp, now)
    local take, at = integer(amount), integer(now)
    if not (take and take >= 0 and at and integer(if_reset)) then return { 'bad-argument' } end
    local used, used_fault = stored(key)
    local reset, reset_fault = stored(expiry)
    local function refused(word) return { word, used or false, reset or false } end
    if used_fault or reset_fault then return refused(used_fault or reset_fault) end
    local fault = not_that_window(used, reset, if_reset, at)
    if fault then return refused(fault) end

    local count = integer(used)
    if count < take then
        if clamp ~= '1' then return refused('below-zero') end
        take = math.max(count, 0)
        if take == 0 then return { 'nothing-to-take', used, reset, used, reset, '0' } end
    end
    redis.call('DECRBY', key, decimal(take))
    return { 'applied', used, reset, decimal(count - take), reset, decimal(take) }
end

if #KEYS == 0 or #ARGV ~= kHead + #KEYS / 2 * 4 then return redis.error_reply('ERR wrong number of arguments') end
local refusal = forbidden({ { 'time' }, { 'type', KEYS[1] }, { 'strlen', KEYS[1] }, { 'get', KEYS[1] }, { 'decrby', KEYS[1], '1' } })
if refusal then return refusal end

local time = redis.call('TIME')
local reply = { decimal(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)) }
for i = 1, #KEYS / 2 do
    local first = kHead + 4 * i - 3
    reply[i + 1] = refund(KEYS[2 * i - 1], KEYS[2 * i], ARGV[first], ARGV[first + 1], ARGV[first + 2], ARGV[first + 3])
end
return reply
