-- PUT: something else in the place of what is stored under up to 100 keys of one shard, where that is what was seen. A
-- key that is there keeps its TTL.
--
-- KEYS, reply and error: see operation.lua. ARGV: see state.lua; 1: what is to be stored (empty: nothing, so the key is
--        removed), 2: what is stored, packed, 3: when a key expires that was not there, in milliseconds (empty: never).
-- words  `applied`, `absent` (and nothing is to be there), `window-changed`, `wrong-type`, `too-large`,
--        `bad-argument`.

-- Of a hash, the fields that would be left of what was there.
local function left_over(state)
    local texts, names = texts_of(state), {}
    for i, name in ipairs(kinds[1].fields) do
        if not texts[i] then names[#names + 1] = name end
    end
    return names
end

local function put_in_place(key, _, text)
    local guard = changed(text, asked[2])
    if guard then return guard end
    local state = asked[1]
    if state == '' then
        if not text then return 'absent' end
        local expires = expires_ms(key)
        if count_further(kinds[1], key, text) > 0 then plan('HDEL', key, kinds[1].fields) else remove(key) end
        return 'applied', nil, nil, nil, expires
    end
    local names = text and left_over(state) or {}
    write(kinds[1], key, state, not text and asked[3] ~= '' and asked[3])
    if #names > 0 then plan('HDEL', key, names) end
    return 'applied', '', nil, nil, nil, nil, state
end

return run_state('put', { any, texts_of, optional, any, any, optional }, put_in_place)
