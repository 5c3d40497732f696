-- COUNT: counts requests into up to 100 windows of one shard, whether the limiter would let them pass or not.
--
-- KEYS, reply and error: see operation.lua. ARGV: see state.lua; `latest`: of an undo, which must not make a window
--        count longer than the one that was given back.
-- words  `applied`, `nothing-to-count`, `no-rate`, `no-window`, `closed`, `window-changed`, `used-too-low`,
--        `not-an-integer` (not what the limiter stores), `no-expiry` (it never ends), `overflow`, `wrong-type`,
--        `too-large`, `bad-argument`.

local function count(key, second, text)
    -- The very requests that an undo brings back, where the limiter keeps them one by one.
    local w, back = window_in(text), window_in(numbers[5][3])
    local open = w and counts(w)
    local guard = changed(text, asked[2])
    if guard and (asked[2] ~= '-' or open) then return guard end
    if text and not w then return 'not-an-integer' end
    local fault = uncountable() or numbers[1] == 0 and 'nothing-to-count'
    if fault then return fault end
    -- What a refund left may be over where what it gave back still counts.
    local other = another(w, numbers[5])
    if other == 'window-changed' then return other end
    if asked[3] ~= '' and (open and used_of(w) or 0) < numbers[3] then return open and 'used-too-low' or 'no-window' end
    if back and not counts(back) then return 'closed' end
    local after, word = back, nil
    if not back then
        after, word = add(open and w or nil, numbers[1], numbers[4], w)
    elseif open then
        after, word = merged(back, w)
    end
    if not after then return word end
    return stored(key, second, after, asked[1])
end

return run_state('count', { integer, texts_of, optional, optional, texts_of, optional }, count)
