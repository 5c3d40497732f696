-- RATE: counts requests into up to 100 windows of one shard, opening those that are absent or over.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   five a window: amount, next_reset, now, if_reset (count only into the window that ends then; empty: into any, or
--        a new one), if_absent (`1`: only open a new one). Canonical integers within +-(2^53-1).
-- words  `applied`, `reset-in-past`, `overflow`, `not-an-integer`, `wrong-type`, `too-large`, `bad-argument`; of the guards
--        `no-window`, `window-changed`, `closed`.
-- cost   beside the frame's, per window 1 INCRBY, or 2 SET when the window opens (before Redis 7 also 2 PEXPIREAT).
--
-- A window is open while its reset >= now. Both keys expire at reset + 1 on the server's clock; where that is not in its
-- future they would be deleted at once, and every request would open a new window: refused. Needs effects replication
-- (Redis >= 6.0).

-- Why the guards keep this window from being counted into; nil when they do not.
local function kept_by_guard(used, reset, open, at, if_reset, if_absent)
    if if_absent == '1' then
        local over = used and reset and integer(used) and integer(reset) and not open
        if (used or reset) and not over then return 'window-changed' end
    end
    return if_reset ~= '' and not_that_window(used, reset, if_reset, at) or nil
end

local function rate(window, amount, next_reset, now, if_reset, if_absent)
    local add, new_reset, at = integer(amount), integer(next_reset), integer(now)
    if not (add and new_reset and at and optional(if_reset)) then return 'bad-argument' end
    local used, reset = window.used, window.reset
    local count, ends = used and integer(used), reset and integer(reset)
    local open = ends and ends >= at
    local guard = kept_by_guard(used, reset, open, at, if_reset, if_absent)
    if guard then return guard end
    if (used and not count) or (reset and not ends) then return 'not-an-integer' end

    local after = (open and count or 0) + add
    if after > kMaxExact or after < -kMaxExact then return 'overflow' end
    if open and used then
        return { used = decimal(after), reset = reset, writes = { { 'INCRBY', window.key, amount } } }
    end

    local last_s = open and ends or new_reset
    if (last_s + 1) * 1000 <= server_ms then return 'reset-in-past' end
    local until_ms = decimal(last_s + 1) .. '000'
    local writes = {}
    put(writes, window.key, amount, until_ms)
    if not open then put(writes, window.expiry, next_reset, until_ms) end
    return { used = amount, reset = open and reset or next_reset, writes = writes }
end

return run({ kind = 'count', arguments = 5, judge = rate })
