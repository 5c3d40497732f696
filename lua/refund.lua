-- REFUND: gives requests back inside up to 100 windows of one shard; never creates a window's key, never touches a TTL,
-- never goes below the limiter's floor. An undo of what opened a window removes it again, with the same call.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: amount (>= 0), if_reset (the window that was looked at; `0`: none was there),
--        clamp (`1`: take what is there), now, opened (`1`: the window was opened by what is given back: where nothing
--        else is in it, both halves go), if_used_at_least (only where so many are used; empty: any number), floor.
--        Canonical integers within +-(2^53-1).
-- words  `applied`, `absent`, `nothing-to-take` (clamp, and nothing was there), `no-window`, `window-changed`,
--        `closed`, `used-too-low`, `below-zero`, `below-one` (the floor is 1), `not-an-integer`, `wrong-type`,
--        `too-large`, `bad-argument`.
-- cost   beside the frame's, per window 1 DECRBY; 1 DEL of all keys that go.

local function natural(text)
    local number = integer(text)
    return number and number >= 0 and number or nil
end

local function refund(key, expiry, used, reset)
    local fault = not_that_window(used, reset, asked[2], numbers[4])
    if fault then return fault end
    if not used then return 'no-window' end
    local count, take, taken = integer(used), numbers[1], asked[1]
    if not count then return 'not-an-integer' end
    if asked[6] ~= '' and count < numbers[6] then return 'used-too-low' end

    if asked[5] == '1' and count == take then
        remove(key, expiry)
        return 'applied', nil, nil, taken
    end
    if asked[5] == '1' and take == 0 then return 'nothing-to-take', used, reset, '0' end
    local most = math.max(count - numbers[7], 0)
    if most < take then
        if asked[3] ~= '1' then return numbers[7] == 1 and 'below-one' or 'below-zero' end
        take = most
        if take == 0 then return 'nothing-to-take', used, reset, '0' end
        taken = decimal(take)
    end
    plan('DECRBY', key, taken)
    return 'applied', decimal(count - take), reset, taken
end

local amount, if_reset, enough, ends, rest

-- The usual: a sound window, the one that was looked at, with enough in it.
local function usual(key, _, used, reset)
    if reset ~= if_reset or not find(used, '^[1-9]%d*$') or used + 0 < enough then return nil end
    if ends > latest_s then latest_s = ends end
    local n = counted + 1
    counted, counts[n], by[n] = n, key, amount
    return lengths[#key] .. key .. '10:given-back' .. lengths[#used] .. used .. rest
end

local function quick()
    if numbers[2] < numbers[4] or asked[5] == '1' then return nil end
    amount, if_reset, ends, count_with = asked[1], asked[2], numbers[2], 'DECRBY'
    enough = math.max(numbers[1] + numbers[7], numbers[6] or 0)
    rest = lengths[#if_reset] .. if_reset .. '--' .. packed(amount) .. '----'
    return usual
end

return run({ kind = 'refund', columns = { natural, integer, any, integer, any, optional, integer }, judge = refund,
    quick = quick })
