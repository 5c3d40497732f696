-- RESTORE: puts up to 100 removed counters of one shard back as they were, with their TTL.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: what was stored, expires_ms (the server's clock; empty: no TTL), merge (`1`: a newer window may be
--        there), named_end (see ends.lua), now (the application's clock).
-- words  `applied`, `closed` (it is over, or would expire at once), `window-there`, `not-an-integer`, `overflow`,
--        `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a counter: PEXPIRETIME and SET.

local function put_back(key, _, newer, reset)
    local used, expires = count_of(asked[1]), numbers[2] and asked[2]
    if numbers[4] and numbers[4] < numbers[5] then return 'closed' end
    if expires and numbers[2] <= server_ms then return 'closed' end
    if newer and asked[3] ~= '1' then return 'window-there' end
    if newer then
        local before, since = integer(used), integer(newer)
        if not (before and since) then return 'not-an-integer' end
        if math.abs(before + since) > kMaxExact then return 'overflow' end
        used = decimal(before + since)
    end
    local fault = store(key, used, expires, asked[1])
    if fault then return fault end
    if numbers[4] then return 'applied', used, asked[4] end
    return 'applied', used, expires and decimal(math.floor((numbers[2] - 1) / 1000)) or reset
end

return run_counters({ kind = 'restore', columns = { any, optional, any, optional, integer }, judge = put_back, ends = ends_by(4),
    reads = kExpiryOf })
