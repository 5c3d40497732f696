-- REFUND: gives requests back inside up to 100 windows of one shard; never creates a window's key, never touches a TTL.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   four a window: amount (>= 0), if_reset (the window that was looked at), clamp (`1`: take what is there), now.
--        Canonical integers within +-(2^53-1).
-- words  `applied`, `nothing-to-take` (clamp, and nothing was there), `no-window`, `window-changed`, `closed`, `below-zero`,
--        `not-an-integer`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, per window 1 DECRBY.

local function refund(window, amount, if_reset, clamp, now)
    local take, at = integer(amount), integer(now)
    if not (take and take >= 0 and at and integer(if_reset)) then return 'bad-argument' end
    local used, reset = window.used, window.reset
    local fault = not_that_window(used, reset, if_reset, at)
    if fault then return fault end
    if not used then return 'no-window' end
    local count = integer(used)
    if not count then return 'not-an-integer' end

    if count < take then
        if clamp ~= '1' then return 'below-zero' end
        take = math.max(count, 0)
        if take == 0 then return { word = 'nothing-to-take', used = used, reset = reset, taken = '0' } end
    end
    local given_back = decimal(take)
    local writes = { { 'DECRBY', window.key, given_back } }
    return { used = decimal(count - take), reset = reset, taken = given_back, writes = writes }
end

return run({ kind = 'refund', arguments = 4, judge = refund })
