-- COUNT: counts requests into up to 100 counters of one shard; one that is absent is opened, with a TTL.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: amount, next_reset (where a window is opened), now, if_reset, if_stored (used and reset, packed),
--        if_used_at_least, begins_anew (`1`: the limiter does where there is no TTL), named_end (see ends.lua; it is
--        next_reset, then), floor. Canonical integers within +-(2^53-1).
-- words  `applied`, `no-window`, `window-changed`, `closed`, `used-too-low`, `not-an-integer`, `overflow`,
--        `no-expiry` (it never ends), `below-one` (no window opens below the floor, which is 1), `reset-in-past`,
--        `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a counter: PEXPIRETIME, and INCRBY or SET.

local function count(key, _, used, reset)
    local ends_s, stored = reset and integer(reset), used and integer(used)
    local open = ends_s and ends_s >= numbers[3]
    local guard = changed(used, reset, asked[5])
    if guard and (asked[5] ~= '--' or open) then return guard end
    local other = asked[4] ~= '' and not_that_window(used, reset, asked[4], numbers[3])
    if other then return other end
    if used and not stored then return 'not-an-integer' end
    if asked[6] ~= '' and (open and stored or 0) < numbers[6] then return open and 'used-too-low' or 'no-window' end
    if used and not reset and asked[7] ~= '1' then return 'no-expiry' end
    local after = (open and stored or 0) + numbers[1]
    if after > kMaxExact or after < -kMaxExact then return 'overflow' end
    if open then
        local fault = add_to(key, asked[1])
        if fault then return fault end
        return 'applied', decimal(after), reset
    end
    if numbers[8] and numbers[8] < numbers[3] then return 'closed' end
    if numbers[9] == 1 and numbers[1] < 1 then return 'below-one' end
    local last_ms = (numbers[2] + 1) * 1000
    if last_ms <= server_ms then return 'reset-in-past' end
    if numbers[8] then
        put(key, asked[1], decimal(last_ms + 1000))
        return 'applied', asked[1], asked[2]
    end
    -- The limiter's own EXPIRE begins now, in the middle of a second; where the clocks agree, this ends as that does.
    local own_ms = server_ms + (numbers[2] - numbers[3]) * 1000
    local until_ms = own_ms > last_ms - 1000 and own_ms < last_ms and own_ms or last_ms
    local fault = store(key, asked[1], decimal(until_ms))
    if fault then return fault end
    return 'applied', asked[1], asked[2]
end

return run_counters({ kind = 'count', columns = { integer, integer, integer, optional, texts_of, optional, any, optional,
    integer }, judge = count, ends = ends_by(8), reads = kExpiryOf })
