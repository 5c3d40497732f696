-- REFUND: gives requests back inside up to 100 windows of one shard; never creates a key, never touches a TTL, never
-- goes below the limiter's floor. An undo of what opened a window removes it again.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: amount (>= 0), if_reset (the window that was looked at; `0`: none was there),
--        clamp (`1`: take what may be taken), now, opened (`1`: the window was opened by what is given back: where
--        nothing else is in it, it goes), if_used_at_least, floor, named_end (see ends.lua).
-- words  `applied`, `absent`, `nothing-to-take`, `no-window`, `window-changed`, `closed`, `used-too-low`, `below-zero`,
--        `below-one` (the floor is 1), `not-an-integer`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a counter: PEXPIRETIME, and DECRBY or DEL.

local function give_back(key, _, used, reset)
    local fault = not_that_window(used, reset, asked[2], numbers[4])
    if fault then return fault end
    local stored, take = integer(used), numbers[1]
    if not stored then return 'not-an-integer' end
    if asked[6] ~= '' and stored < numbers[6] then return 'used-too-low' end
    if asked[5] == '1' and stored == take then
        remove(key)
        return 'applied', nil, nil, asked[1]
    end
    local most = math.max(stored - numbers[7], 0)
    if most < take and asked[3] ~= '1' then return numbers[7] == 1 and 'below-one' or 'below-zero' end
    take = math.min(take, most)
    if take == 0 then return 'nothing-to-take', used, reset, '0' end
    take_from(key, decimal(take))
    return 'applied', decimal(stored - take), reset, decimal(take)
end

return run_counters({ kind = 'refund', columns = { integer, integer, any, integer, any, optional, integer, optional },
    judge = give_back, ends = ends_by(8), reads = kExpiryOf })
