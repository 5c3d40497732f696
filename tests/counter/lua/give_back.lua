-- Gives back. Columns: amount, if_reset, clamp, now, opened, if_used_at_least.
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
    if stored < take and asked[3] ~= '1' then return 'below-zero' end
    take = math.min(take, math.max(stored, 0))
    if take == 0 then return 'nothing-to-take', used, reset, '0' end
    plan('DECRBY', key, decimal(take))
    return 'applied', decimal(stored - take), reset, decimal(take)
end

return run({ kind = 'refund', columns = { integer, integer, any, integer, any, optional }, judge = give_back,
    ends = ends, reads = kExpiryOf })
