-- RESET: removes up to 100 windows of one shard.
--
-- KEYS, reply and error: see operation.lua. ARGV: see state.lua.
-- words  `applied`, `absent`, `window-changed`, `used-too-low`, `no-rate`, `wrong-type`, `too-large`, `bad-argument`.

local function take_away(key, second, text, ends_at)
    if not text then return 'absent' end
    local w = window_in(text)
    local says_end = not w or end_of(w)
    if asked[4] ~= '' and says_end and ends_at ~= asked[4] then return 'window-changed' end
    local guard = changed(text, asked[2])
    if guard then return guard end
    if asked[3] ~= '' then
        local fault = uncountable()
        if fault then return fault end
        if not w or used_of(w) < numbers[3] then return 'used-too-low' end
    end
    local own, beside_it = parts_of(text)
    local rest, excess = further(kinds[1], key, own)
    if excess then return excess end
    local whole = rest ~= '' and joined(own .. rest, beside_it)
    local first = expires_ms(key)
    local other = first
    if second then other = expires_ms(second) end
    drop(key, second)
    return 'applied', nil, nil, nil, first, other, nil, whole
end

return run_state('reset', { any, texts_of, optional, optional, any, optional }, take_away)
