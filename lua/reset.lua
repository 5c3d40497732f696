-- RESET: removes both halves of up to 100 windows of one shard and returns what it removed, expiries included.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns, each empty for no such guard: if_reset (remove only that window), if_used_at_least, if_stored (only
--        while both halves hold exactly these bytes: used and reset, packed).
-- words  `applied`, `absent` (both halves), `window-changed`, `used-too-low`, `not-an-integer` (only where a guard has
--        to compare it), `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, per window 2 PEXPIRETIME (before Redis 7 PTTL), and 1 DEL of all keys.

local function kept_by_guard(used, reset)
    if asked[1] ~= '' and reset ~= asked[1] then return 'window-changed' end
    if asked[3] ~= '' and packed(used) .. packed(reset) ~= asked[3] then return 'window-changed' end
    if asked[2] == '' then return nil end
    if not used then return 'used-too-low' end
    local count = integer(used)
    if not count then return 'not-an-integer' end
    return count < numbers[2] and 'used-too-low' or nil
end

local function take_away(key, expiry, used, reset)
    if not used and not reset then return 'absent' end
    local guard = kept_by_guard(used, reset)
    if guard then return guard end
    local counter_expires, expiry_expires = used and expires_ms(key), reset and expires_ms(expiry)
    remove(key, expiry)
    return 'applied', nil, nil, nil, counter_expires, expiry_expires
end

local if_reset, least

-- The usual: both halves are there, short ones that expire when they are to, and no guard but if_reset and
-- if_used_at_least. Before Redis 7 an expiry is not told exactly, so that nothing is usual there.
local function usual(key, expiry, used, reset)
    local ends = ends_of(reset)
    if not ends or (if_reset ~= '' and if_reset ~= reset) then return nil end
    if least and (not find(used, '^[1-9]%d*$') or used + 0 < least) then return nil end
    local due = (ends + 1) * 1000
    if due > kMaxExact or call(kExpiryOf, key) ~= due or call(kExpiryOf, expiry) ~= due then return nil end
    if ends > latest_s then latest_s = ends end
    local n = doomed  -- as remove() does it, without the call
    doomed, removed[n + 1], removed[n + 2] = n + 2, key, expiry
    return lengths[#key] .. key .. '7:removed' .. lengths[#used] .. used .. lengths[#reset] .. reset .. '-------'
end

local function quick()
    if_reset, least = asked[1], numbers[2]
    return kIsSeven and asked[3] == '' and usual or nil
end

return run({ kind = 'reset', columns = { optional, optional, texts_of }, judge = take_away,
    quick = quick, reads = kExpiryOf })
