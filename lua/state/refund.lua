-- REFUND: gives requests back in up to 100 windows of one shard; never creates a key. What nothing is left of is
-- removed.
--
-- KEYS, reply and error: see operation.lua. ARGV: see state.lua; clamp: `1`, take what may be taken.
-- words  `applied`, `absent`, `nothing-to-take`, `no-rate`, `no-window`, `closed`, `window-changed`, `used-too-low`,
--        `below-zero`, `no-expiry`, `not-an-integer` (not what the limiter stores), `wrong-type`, `too-large`,
--        `bad-argument`.

local function give_back(key, second, text, ends_at)
    if asked[4] == '0' then return 'absent' end
    if not text then return 'no-window' end
    local w = window_in(text)
    local fault = not w and 'not-an-integer' or uncountable()
    if fault then return fault end
    if not counts(w) then return 'closed' end
    local other = another(w, numbers[2])
    if other then return other end
    local used, amount = used_of(w), numbers[1]
    if asked[3] ~= '' and used < numbers[3] then return 'used-too-low' end
    local most = most_taken and most_taken(w) or used
    if most < amount and asked[5] ~= '1' then return 'below-zero' end
    amount = math.min(amount, most)
    if amount == 0 then return 'nothing-to-take', decimal(used), ends_at, '0', nil, nil, text end
    local after, word = take(w, amount)
    if word then return word end
    if after then return stored(key, second, after, decimal(amount)) end
    drop(key, second)
    return 'applied', nil, nil, decimal(amount)
end

return run_state('refund', { integer, texts_of, optional, any, any, optional }, give_back)
