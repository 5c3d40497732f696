-- RATE: counts requests into up to 100 windows of one shard, opening those that are absent or over.
--
-- KEYS   K1, K1:exp, K2, K2:exp ...
-- ARGV   three a window: amount, next_reset, now (strings; canonical integers within +-(2^53-1)).
--        Arguments of the whole call would stand in front; there are kHead of them.
-- reply  { server_ms, window... }, a window being { word, used_before, reset_before, used_after, reset_after }:
--        strings as stored, nil where there is none. Words: `applied`, or why nothing was written for that window:
--        `wrong-type`, `too-large`, `not-an-integer`, `overflow`, `reset-in-past`, `bad-argument`.
-- error  NOPERM or ERR unknown command, before anything is written, when this user may not run a command used below.
-- cost   per window 2 TYPE, 2 STRLEN, 2 GET, then 1 INCRBY, or 2 SET and 2 EXPIREAT when the window opens.
--
-- A window is open while its reset >= now. EXPIREAT is reset + 1 on the server's clock; one that is not in that clock's
-- future would delete the keys at once, so such a window is refused. Needs effects replication (Redis >= 6.0).

local server_s

local function write_new(key, value, reset)
    redis.call('SET', key, value)
    redis.call('EXPIREAT', key, decimal(reset + 1))
end

local function rate(key, expiry, amount, next_reset, now)
    local add, new_reset, at = integer(amount), integer(next_reset), integer(now)
    if not (add and new_reset and at) then return { 'bad-argument' } end
    local used, used_fault = stored(key)
    local reset, reset_fault = stored(expiry)
    local function refused(word) return { word, used or false, reset or false } end
    if used_fault or reset_fault then return refused(used_fault or reset_fault) end

    local count = used and integer(used) or 0
    local ends = reset and integer(reset) or nil
    if (used and not integer(used)) or (reset and not ends) then return refused('not-an-integer') end

    local open = ends and ends >= at
    local after = (open and count or 0) + add
    if after > kMaxExact or after < -kMaxExact then return refused('overflow') end
    if open and used then
        redis.call('INCRBY', key, amount)
        return { 'applied', used, reset, decimal(after), reset }
    end

    local until_s = open and ends or new_reset
    if until_s + 1 <= server_s then return refused('reset-in-past') end
    write_new(key, amount, until_s)
    if not open then write_new(expiry, next_reset, until_s) end
    return { 'applied', used, reset, amount, open and reset or next_reset }
end

if #KEYS == 0 or #ARGV ~= kHead + #KEYS / 2 * 3 then return redis.error_reply('ERR wrong number of arguments') end
local refusal = forbidden({ { 'time' }, { 'type', KEYS[1] }, { 'strlen', KEYS[1] }, { 'get', KEYS[1] }, { 'incrby', KEYS[1], '1' },
    { 'set', KEYS[1], '1' }, { 'expireat', KEYS[1], '1' } })
if refusal then return refusal end

local time = redis.call('TIME')
server_s = tonumber(time[1])
local reply = { decimal(server_s * 1000 + math.floor(tonumber(time[2]) / 1000)) }
for i = 1, #KEYS / 2 do
    local first = kHead + 3 * i - 2
    reply[i + 1] = rate(KEYS[2 * i - 1], KEYS[2 * i], ARGV[first], ARGV[first + 1], ARGV[first + 2])
end
return reply
