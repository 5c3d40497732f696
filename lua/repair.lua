-- REPAIR: sets when both halves of up to 100 windows of one shard expire; never a value, never a key that is not there.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: if_reset (the window that was looked at); the expiries that were seen, counter_ms and expiry_ms;
--        those to be set, counter_ms and expiry_ms (all on the server's clock; empty: no TTL).
-- words  `applied`, `nothing-to-repair` (they are as they are to be), `no-window` (a half is missing), `window-changed`
--        (another window, or other expiries than were seen), `closed` (what would be set is past, and would delete it),
--        `not-an-integer`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, per window 2 PEXPIRETIME (before Redis 7 PTTL), 2 PEXPIREAT or PERSIST.
--
-- The answer's expiries are those that were replaced, so that an undo can put them back.

-- Before Redis 7 an expiry is what is left and a clock: two looks at the same one differ by milliseconds.
local kSame = kIsSeven and 0 or 1000

local function same(one, other)
    if not one or not other then return not one == not other end
    return math.abs(one - other) <= kSame
end

local function set_expiry(key, number, text)
    if number then plan('PEXPIREAT', key, text) else plan('PERSIST', key) end
end

local function repair(key, expiry, used, reset)
    if not used or not reset then return 'no-window' end
    if reset ~= asked[1] then return integer(reset) and 'window-changed' or 'not-an-integer' end
    local counter_ms, expiry_ms = numbers[4], numbers[5]
    local counter_now, expiry_now = expires_ms(key), expires_ms(expiry)
    if same(counter_now, counter_ms) and same(expiry_now, expiry_ms) then return 'nothing-to-repair' end
    if not (same(counter_now, numbers[2]) and same(expiry_now, numbers[3])) then return 'window-changed' end
    if counter_ms and counter_ms <= server_ms or expiry_ms and expiry_ms <= server_ms then return 'closed' end
    set_expiry(key, counter_ms, asked[4])
    set_expiry(expiry, expiry_ms, asked[5])
    return 'applied', used, reset, nil, counter_now, expiry_now
end

return run({ kind = 'repair', columns = { integer, optional, optional, optional, optional }, judge = repair,
    reads = kExpiryOf })
