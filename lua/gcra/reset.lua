-- RESET: removes up to 100 windows of one shard.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: those of arrival.lua, then if_reset, if_used_at_least, if_stored (what is stored, packed); empty: no
--        such guard.
-- words  `applied`, `absent`, `window-changed`, `used-too-low`, `no-rate`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a window: PEXPIRETIME; 1 DEL of all that go.

local function take_away(key, _, text, ends_at)
    if not text then return 'absent' end
    if asked[5] ~= '' and ends_at ~= asked[5] then return 'window-changed' end
    local guard = changed(text, asked[7])
    if guard then return guard end
    if asked[6] ~= '' then
        local fault = uncountable(text)
        if fault then return fault end
        if used_at(arrival(text)) < numbers[6] then return 'used-too-low' end
    end
    local expires = expires_ms(key)
    remove(key)
    return 'applied', nil, nil, nil, expires, expires
end

return run({ kind = 'reset', columns = { any, any, optional, optional, optional, optional, texts_of },
    judge = take_away, ends = ends, reads = kExpiryOf })
