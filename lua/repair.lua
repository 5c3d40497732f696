-- REPAIR: sets when both halves of up to 100 windows of one shard expire; never a value, never a key that is not there.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   five a window: if_reset (the window that was looked at); the expiries that were seen, counter_ms and expiry_ms;
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
    if not one or not other then return one == other end
    return math.abs(tonumber(one) - tonumber(other)) <= kSame
end

local function sets(writes, key, at_ms)
    writes[#writes + 1] = at_ms and { 'PEXPIREAT', key, at_ms } or { 'PERSIST', key }
end

local function repair(window, if_reset, seen_counter, seen_expiry, counter, expiry)
    for _, number in ipairs({ seen_counter, seen_expiry, counter, expiry }) do
        if not optional(number) then return 'bad-argument' end
    end
    if not integer(if_reset) then return 'bad-argument' end
    if not window.used or not window.reset then return 'no-window' end
    if window.reset ~= if_reset then return integer(window.reset) and 'window-changed' or 'not-an-integer' end
    local function given(text) return text ~= '' and text end
    local counter_ms, expiry_ms = given(counter), given(expiry)
    local counter_now, expiry_now = expires_ms(window.key), expires_ms(window.expiry)
    if same(counter_now, counter_ms) and same(expiry_now, expiry_ms) then return 'nothing-to-repair' end
    if not (same(counter_now, given(seen_counter)) and same(expiry_now, given(seen_expiry))) then
        return 'window-changed'
    end
    if counter_ms and tonumber(counter_ms) <= server_ms or expiry_ms and tonumber(expiry_ms) <= server_ms then
        return 'closed'
    end
    local writes = {}
    sets(writes, window.key, counter_ms)
    sets(writes, window.expiry, expiry_ms)
    return { used = window.used, reset = window.reset, counter_expires = counter_now, expiry_expires = expiry_now,
        writes = writes }
end

local reads = { { kIsSeven and 'PEXPIRETIME' or 'PTTL', KEYS[1] } }
return run({ kind = 'repair', arguments = 5, judge = repair, reads = reads })
