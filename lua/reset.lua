-- RESET: removes both halves of up to 100 windows of one shard and returns what it removed, expiries included.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   three a window, each empty for no such guard: if_reset (remove only that window), if_used_at_least, if_stored (only
--        while both halves hold exactly these bytes: used and reset, packed).
-- words  `applied`, `absent` (both halves), `window-changed`, `used-too-low`, `not-an-integer` (only where a guard has to
--        compare it), `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, per window 2 PEXPIRETIME (before Redis 7 PTTL), 1 DEL.
--
-- The operation key comes last: a server that is out of memory lets a script delete, and write after it has deleted, but
-- not begin with a write.

local function kept_by_guard(used, reset, if_reset, if_used_at_least, if_stored)
    if if_reset ~= '' and reset ~= if_reset then return 'window-changed' end
    if if_stored ~= '' and packed({ used, reset }) ~= if_stored then return 'window-changed' end
    if if_used_at_least == '' then return nil end
    if not used then return 'used-too-low' end
    local count = integer(used)
    if not count then return 'not-an-integer' end
    return count < integer(if_used_at_least) and 'used-too-low' or nil
end

local function remove(window, if_reset, if_used_at_least, if_stored)
    if not (optional(if_reset) and optional(if_used_at_least) and texts_of(if_stored)) then return 'bad-argument' end
    if not window.used and not window.reset then return 'absent' end
    local guard = kept_by_guard(window.used, window.reset, if_reset, if_used_at_least, if_stored)
    if guard then return guard end
    return {
        counter_expires = expires_ms(window.key),
        expiry_expires = expires_ms(window.expiry),
        writes = { { 'DEL', window.key, window.expiry } },
    }
end

local reads = { { kIsSeven and 'PEXPIRETIME' or 'PTTL', KEYS[1] } }
return run({ kind = 'reset', arguments = 3, judge = remove, reads = reads, record_last = true })
