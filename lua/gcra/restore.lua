-- RESTORE: puts up to 100 removed windows of one shard back as they were, with their TTL.
--
-- KEYS, reply and error: see operation.lua, which stands in front.
-- ARGV   columns: those of arrival.lua, then state (what was stored), expires_ms (the server's clock; empty: no TTL),
--        merge (`1`: a newer window may be there, whose requests come on top).
-- words  `applied`, `closed` (nothing of it would be used any more), `window-there`, `not-an-integer` (no moment),
--        `overflow`, `wrong-type`, `too-large`, `bad-argument`.
-- cost   beside the frame's, a window: SET.

local function put_back(key, _, newer)
    local text, expires = asked[5], numbers[6] and asked[6]
    local s, ns = arrival(text)
    if newer and asked[7] ~= '1' then return 'window-there' end
    if s and (ahead_ns(s, ns) <= 0 or expires and numbers[6] <= server_ms) then return 'closed' end
    if newer then
        local newer_s, newer_ns = arrival(newer)
        if not (s and newer_s) then return 'not-an-integer' end
        if ahead_ns(newer_s, newer_ns) > 0 then s, ns = normal(s, ns + ahead_ns(newer_s, newer_ns)) end
        if s > kMostSeconds then return 'overflow' end
        text = text_of(s, ns)
        store(key, s, ns)
    else
        put(key, text, expires)
    end
    if not s then return 'applied', text end
    return 'applied', has_rate() and decimal(used_at(s, ns)) or '', end_of(s, ns), nil, nil, nil, text
end

return run({ kind = 'restore', columns = { any, any, optional, optional, any, optional, any },
    judge = put_back, ends = ends })
