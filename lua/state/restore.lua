-- RESTORE: puts up to 100 removed windows of one shard back as they were, with their TTL.
--
-- KEYS, reply and error: see operation.lua. ARGV: see state.lua; merge: `1`, a newer window may be there, whose
--        requests come on top.
-- words  `applied`, `closed` (nothing of it would be used any more), `window-there`, `not-an-integer` (not what the
--        limiter stores), `overflow`, `wrong-type`, `too-large`, `bad-argument`.

local function is_over(ms) return ms and ms <= server_ms end

local function removed_expires(n) return numbers[2 + n] end

-- A key that would be written is there.
local function is_there(newer, text)
    if not newer then return false end
    local a, b = parts_of(newer)
    local first, other = parts_of(text)
    return (a and first) or (b and other)
end

local function put_back(key, second, newer)
    local text = asked[1]
    local w = window_in(text, removed_expires)
    newer = is_there(newer, text) and newer
    if newer and asked[5] ~= '1' then return 'window-there' end
    if w and (not counts(w) or is_over(numbers[3])) then return 'closed' end
    if newer then
        -- Counted by other knobs, the tokens of one are no tokens of the other.
        if kinds[2] and kinds[2].kept and (texts_of(text) or {})[2] ~= beside then return 'window-there' end
        local other = window_in(newer)
        if not (w and other) then return 'not-an-integer' end
        if counts(other) then
            local word
            w, word = merged(w, other)
            if not w then return word end
        end
        if kinds[1].type == 'hash' then write_further(kinds[1], key, texts_of(parts_of(text))) end
        return stored(key, second, w)
    end
    local first, other = parts_of(text)
    if first then write(kinds[1], key, first, numbers[3] and asked[3]) end
    if other and not kinds[2].kept then write(kinds[2], second, other, numbers[4] and asked[4]) end
    if not w then return 'applied', text end
    local last = end_of(w)
    return 'applied', not uncountable() and decimal(used_of(w)) or '', last and decimal(last), nil, nil, nil,
        joined(first, other)
end

return run_state('restore', { any, any, optional, optional, any, optional }, put_back)
