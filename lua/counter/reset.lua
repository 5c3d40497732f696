-- RESET: removes up to 100 counters of one shard.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: if_reset, if_used_at_least, if_stored (used and reset, packed); empty: no such guard; named_end (see
--        ends.lua).
-- words  `applied`, `absent`, `window-changed`, `used-too-low`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a counter: 2 PEXPIRETIME; 1 DEL of all that go.

local function take_away(key, _, used, reset)
    if not used then return 'absent' end
    if asked[1] ~= '' and reset ~= asked[1] then return 'window-changed' end
    local guard = changed(used, reset, asked[3])
    if guard then return guard end
    if asked[2] ~= '' and (integer(used) or 0) < numbers[2] then return 'used-too-low' end
    local expires = expires_ms(key)
    remove(key)
    return 'applied', nil, nil, nil, expires, expires
end

return run_counters({ kind = 'reset', columns = { optional, optional, texts_of, optional }, judge = take_away,
    ends = ends_by(4), reads = kExpiryOf })
