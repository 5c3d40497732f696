-- RATE: counts requests into up to 100 windows of one shard, opening those that are absent or over.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: amount, next_reset, now, if_reset (count only into the window that ends then; empty: into any, or a
--        new one), if_stored (count only while both halves hold exactly these bytes: used and reset, packed; where it
--        is neither, `--`, a whole window that is over will do), if_used_at_least (count only where so many are used;
--        empty: any number; where no window is open, none), carries_below (the limiter counts on in a counter without
--        an expiry half that is less than this; empty: it begins each at 0). Canonical integers within +-(2^53-1).
-- words  `applied`, `reset-in-past`, `overflow`, `not-an-integer`, `wrong-type`, `too-large`, `bad-argument`,
--        `below-one` (no request would open a window of a limiter that counts on); of the guards `no-window`,
--        `window-changed`, `closed`, `used-too-low`.
-- cost   beside the frame's, per window 1 INCRBY, or 2 SET when the window opens (before Redis 7 also 2 PEXPIREAT).
--
-- A counter that is counted on keeps its TTL, unless this is what brings it to 1: Laravel's increment does so. Such an
-- answer says in `taken` how many were counted, which does not follow from the counters before and after.
--
-- A window is open while its reset >= now. Both keys expire at reset + 1 on the server's clock; where that is not in
-- its future they would be deleted at once, and every request would open a new window: refused. Needs effects
-- replication (Redis >= 6.0).

-- Why the guards keep this window from being counted into; nil when they do not.
local function kept_by_guard(used, reset, open)
    if asked[5] ~= '' and packed(used) .. packed(reset) ~= asked[5] then
        local over = used and reset and integer(used) and integer(reset) and not open
        if asked[5] ~= '--' or not over then return 'window-changed' end
    end
    return asked[4] ~= '' and not_that_window(used, reset, asked[4], numbers[3]) or nil
end

local function rate(key, expiry, used, reset)
    local amount, next_reset = asked[1], asked[2]
    local count, ends = used and integer(used), reset and integer(reset)
    if ends and ends < 0 then ends = nil end  -- no second that a clock shows; looks call it corrupt, too
    local open = ends and ends >= numbers[3]
    local guard = kept_by_guard(used, reset, open)
    if guard then return guard end
    if (used and not count) or (reset and not ends) then return 'not-an-integer' end
    if asked[6] ~= '' and (open and count or 0) < numbers[6] then return open and 'used-too-low' or 'no-window' end

    local carried = not reset and count and numbers[7] and count < numbers[7] and count or nil
    local after = (open and count or carried or 0) + numbers[1]
    if after > kMaxExact or after < -kMaxExact then return 'overflow' end
    if open and used then
        plan('INCRBY', key, amount)
        return 'applied', decimal(after), reset
    end

    if numbers[7] and numbers[1] < 1 then return 'below-one' end
    local last_s = open and ends or numbers[2]
    if (last_s + 1) * 1000 <= server_ms then return 'reset-in-past' end
    local until_ms = decimal(last_s + 1) .. '000'
    if carried and (carried > 0 or after < 1) then
        plan('INCRBY', key, amount)
    else
        put(key, decimal(after), until_ms)
    end
    if not open then put(expiry, next_reset, until_ms) end
    return 'applied', decimal(after), open and reset or next_reset, carried and amount
end

local amount, if_reset, now, least, rest

-- The usual: a sound window that is open, and no guard against it.
local function usual(key, _, used, reset)
    local ends = ends_of(reset)
    if not ends or ends < now or (if_reset ~= '' and if_reset ~= reset) then return nil end
    if not find(used, '^[1-9]%d*$') then return nil end
    if least and used + 0 < least then return nil end
    if ends > latest_s then latest_s = ends end
    local n = counted + 1
    counted, counts[n], by[n] = n, key, amount
    return lengths[#key] .. key .. '7:counted' .. lengths[#used] .. used .. lengths[#reset] .. reset .. rest
end

local function quick()
    local add = numbers[1]
    if asked[5] ~= '' or add > 1e15 or add < -1e15 then return nil end
    amount, if_reset, now, least, count_with = asked[1], asked[4], numbers[3], numbers[6], 'INCRBY'
    rest = '--' .. packed(amount) .. '----'
    return usual
end

return run({ kind = 'count', columns = { integer, integer, integer, optional, texts_of, optional, optional },
    judge = rate, quick = quick })
