-- RESTORE: puts up to 100 removed windows of one shard back exactly as they were: bytes, expiries, a missing TTL, a missing
-- half.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   five a window: the removed used and reset, packed; counter_expires_ms and expiry_expires_ms (the server's clock;
--        empty: no TTL); merge (`1`: the window may be there again); now.
-- words  `applied`; `closed` (the removed window is over, or would expire at once), `window-there`, `wrong-type`, `too-large`,
--        `bad-argument`; of a merge also `not-an-integer`, `overflow`.
-- cost   beside the frame's, per window 2 SET (before Redis 7 also 2 PEXPIREAT); a merge 2 PEXPIRETIME (PTTL) more.
--
-- A merge leaves what would stand there had nobody removed it: used = removed + newer, and the removed window's reset and
-- expiries. What was removed needs a reset for that: into a counter without one nobody would have counted.

local function over(removed, now_s)
    if removed.reset and integer(removed.reset) and integer(removed.reset) < now_s then return true end
    local function expired(value, at_ms) return value and at_ms and integer(at_ms) <= server_ms end
    return expired(removed.used, removed.counter_expires) or expired(removed.reset, removed.expiry_expires)
end

local function put_back(window, removed)
    local writes = {}
    if removed.used then put(writes, window.key, removed.used, removed.counter_expires) end
    if removed.reset then put(writes, window.expiry, removed.reset, removed.expiry_expires) end
    return { used = removed.used, reset = removed.reset, writes = writes }
end

local function merge_back(window, removed)
    local removed_count, newer_count = integer(removed.used or '0'), integer(window.used or '0')
    local resets = integer(removed.reset) and (not window.reset or integer(window.reset))
    if not (removed_count and newer_count and resets) then return 'not-an-integer' end
    local sum = removed_count + newer_count
    if sum > kMaxExact or sum < -kMaxExact then return 'overflow' end
    local counter_expires = removed.counter_expires
    if not removed.used then counter_expires = removed.expiry_expires end
    local verdict = put_back(window, { used = decimal(sum), reset = removed.reset, counter_expires = counter_expires,
        expiry_expires = removed.expiry_expires })
    verdict.counter_expires, verdict.expiry_expires = expires_ms(window.key), expires_ms(window.expiry)
    return verdict
end

local function restore(window, halves, counter_expires, expiry_expires, merge, now)
    local texts, now_s = texts_of(halves), integer(now)
    if not (texts and #texts == 2 and (texts[1] or texts[2]) and now_s) then return 'bad-argument' end
    if not (optional(counter_expires) and optional(expiry_expires)) then return 'bad-argument' end
    local removed = { used = texts[1], reset = texts[2], counter_expires = counter_expires ~= '' and counter_expires,
        expiry_expires = expiry_expires ~= '' and expiry_expires }
    if #(removed.used or '') > kMaxValue or #(removed.reset or '') > kMaxValue then return 'too-large' end
    if over(removed, now_s) then return 'closed' end
    if not window.used and not window.reset then return put_back(window, removed) end
    if merge ~= '1' or not removed.reset then return 'window-there' end
    return merge_back(window, removed)
end

local reads = { { kIsSeven and 'PEXPIRETIME' or 'PTTL', KEYS[1] } }
return run({ kind = 'restore', arguments = 5, judge = restore, reads = reads })
