-- RESTORE: puts up to 100 removed windows of one shard back exactly as they were: bytes, expiries, a missing TTL, a
-- missing half.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: the removed used and reset, packed; counter_expires_ms and expiry_expires_ms (the server's clock;
--        empty: no TTL); merge (`1`: the window may be there again); now.
-- words  `applied`; `closed` (the removed window is over, or would expire at once), `window-there`, `wrong-type`,
--        `too-large`, `bad-argument`; of a merge also `not-an-integer`, `overflow`.
-- cost   beside the frame's, per window 2 SET (before Redis 7 also 2 PEXPIREAT); a merge 2 PEXPIRETIME (PTTL) more.
--
-- A merge leaves what would stand there had it not been removed: used = removed + newer, and the removed window's reset
-- and expiries. What was removed needs a reset for that: no request would have been counted into a counter without one.

local function halves_of(text)
    local texts = texts_of(text)
    return texts and #texts == 2 and (texts[1] or texts[2]) and texts or nil
end

local function over(used, reset, counter_ms, expiry_ms)
    local ends = reset and integer(reset)
    if ends and ends < numbers[5] then return true end
    return (used and counter_ms and counter_ms <= server_ms) or (reset and expiry_ms and expiry_ms <= server_ms)
end

local function put_back(key, expiry, used, reset, counter_expires, expiry_expires)
    if used then put(key, used, counter_expires) end
    if reset then put(expiry, reset, expiry_expires) end
end

local function restore(key, expiry, newer_used, newer_reset)
    local used, reset = numbers[1][1], numbers[1][2]
    local counter_expires, expiry_expires = numbers[2] and asked[2], numbers[3] and asked[3]
    if #(used or '') > kMaxValue or #(reset or '') > kMaxValue then return 'too-large' end
    if over(used, reset, numbers[2], numbers[3]) then return 'closed' end
    if not newer_used and not newer_reset then
        put_back(key, expiry, used, reset, counter_expires, expiry_expires)
        return 'applied', used, reset
    end
    if asked[4] ~= '1' or not reset then return 'window-there' end

    local removed_count, newer_count = integer(used or '0'), integer(newer_used or '0')
    local resets = integer(reset) and (not newer_reset or integer(newer_reset))
    if not (removed_count and newer_count and resets) then return 'not-an-integer' end
    local sum = removed_count + newer_count
    if sum > kMaxExact or sum < -kMaxExact then return 'overflow' end
    if not used then counter_expires = expiry_expires end
    put_back(key, expiry, decimal(sum), reset, counter_expires, expiry_expires)
    return 'applied', decimal(sum), reset, nil, expires_ms(key), expires_ms(expiry)
end

return run({ kind = 'restore', columns = { halves_of, optional, optional, any, integer }, judge = restore,
    reads = kExpiryOf })
