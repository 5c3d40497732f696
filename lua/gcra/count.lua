-- COUNT: counts requests into up to 100 windows of one shard, whether the limiter would let them pass or not.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: those of arrival.lua, then amount, if_stored (what is stored, packed), if_used_at_least,
--        latest (of an undo: no moment is opened beyond that second; empty: no such second).
-- words  `applied`, `nothing-to-count`, `no-rate`, `no-window`, `closed`, `window-changed`, `used-too-low`,
--        `not-an-integer` (no moment), `overflow`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a window: SET.

local function count(key, _, text)
    local s, ns
    if text then s, ns = arrival(text) end
    local open = s and ahead_ns(s, ns) > 0
    local guard = changed(text, asked[6])
    if guard and (asked[6] ~= '-' or open) then return guard end
    local fault = uncountable(text) or numbers[5] == 0 and 'nothing-to-count'
    if fault then return fault end
    if asked[7] ~= '' and (open and used_at(s, ns) or 0) < numbers[7] then
        return open and 'used-too-low' or 'no-window'
    end
    if not open then s, ns = math.floor(server_ms / 1000), server_ms % 1000 * 1e6 end
    s, ns = moved(s, ns, numbers[5])
    if not open and numbers[8] and s >= numbers[8] then s, ns = numbers[8], 0 end
    if ahead_ns(s, ns) <= 0 then return 'closed' end
    if s > kMostSeconds then return 'overflow' end
    store(key, s, ns)
    return 'applied', decimal(used_at(s, ns)), end_of(s, ns), asked[5], nil, nil, text_of(s, ns)
end

return run({ kind = 'count', columns = { any, any, optional, optional, integer, texts_of, optional, optional },
    judge = count, ends = ends })
