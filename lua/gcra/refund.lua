-- REFUND: gives requests back in up to 100 windows of one shard; never creates a key. What would not lie ahead of the
-- server's clock any more is removed: left as it is, it would count as if nothing had been given back.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: those of arrival.lua, then amount (>= 0), clamp (`1`: take what may be taken), if_used_at_least.
-- words  `applied`, `nothing-to-take`, `no-rate`, `no-window`, `closed`, `used-too-low`, `below-zero`, `not-an-integer`
--        (no moment), `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a window: SET or DEL.

local function give_back(key, _, text, ends_at)
    if not text then return 'no-window' end
    local fault = uncountable(text)
    if fault then return fault end
    local s, ns = arrival(text)
    if ahead_ns(s, ns) <= 0 then return 'closed' end
    local used, take = used_at(s, ns), numbers[5]
    if asked[7] ~= '' and used < numbers[7] then return 'used-too-low' end
    if used < take and asked[6] ~= '1' then return 'below-zero' end
    take = math.min(take, used)
    if take == 0 then return 'nothing-to-take', decimal(used), ends_at, '0', nil, nil, text end
    s, ns = moved(s, ns, -take)
    if ahead_ns(s, ns) <= 0 then
        remove(key)
        return 'applied', nil, nil, decimal(take)
    end
    store(key, s, ns)
    return 'applied', decimal(used_at(s, ns)), end_of(s, ns), decimal(take), nil, nil, text_of(s, ns)
end

return run({ kind = 'refund', columns = { any, any, optional, optional, integer, any, optional },
    judge = give_back, ends = ends })
