-- Windows that are the times of their requests: each of them is free again a period later. Clocks are those of
-- applications. It stands behind list_log.lua or set_log.lua, which say how times are stored. The functions are those
-- of keys.lua; a window is its entries, the newest first.
--
-- terms: limit   empty: not known
--        period  in seconds; empty: not known, and nothing can be counted
--        trims   `1`: the library keeps no more than the limit
--        style   `whole`: it counts in whole seconds, its keys live for two periods, and the oldest time that is stored
--                decides whether a request passes; `random`: its members are random

local terms = { optional, optional, any, any }

local function limit()
    local _, most = term(1)
    return most or 0
end

function period()
    local _, seconds = term(2)
    return seconds or 0
end

function is_whole() return term(4) == 'whole' end

function has_random_members() return term(4) == 'random' end

local function trims() return term(3) == '1' end

local function uncountable() return (period() <= 0 or trims() and limit() <= 0) and 'no-rate' or nil end

local function decode(text) return entries_of(text) end

local function encode(w) return text_of(w) end

-- Where a list is not in order, the time that the limiter asks for decides.
local function used_of(w)
    local used, most = 0, limit()
    while w[used + 1] and counting(w[used + 1].at) do used = used + 1 end
    if most <= 0 or #w < most then return used end
    if counting(w[is_whole() and #w or most].at) then return math.max(used, most) end
    return math.min(used, most - 1)
end

local function counts(w) return period() <= 0 or used_of(w) > 0 end

local function end_of(w)
    local newest = 0
    for _, one in ipairs(w) do newest = math.max(newest, one.at) end
    return free_at(newest)
end

-- Only a request renews it.
local function lives_ms(w, key)
    if w.kept then return expires_at(key) end
    return server_ms + (is_whole() and 2 or 1) * period() * 1000
end

-- The newest first, and those of one time the other way round than Redis has members.
local function ordered(w)
    table.sort(w, function(a, b)
        if a.at ~= b.at or not a.member then return a.at > b.at end
        return is_below(b.member, a.member)
    end)
end

local function trimmed(w)
    while trims() and #w > limit() do w[#w] = nil end
    if #w > kMostElements then return nil, 'too-large' end
    return w
end

-- A sorted set is cleared of what does not count any more.
local function add(w, requests)
    local at, in_set = clock(), kinds[1].type == 'zset'
    if requests > kMostElements then return nil, 'too-large' end
    local after, known, before = {}, {}, {}
    for _, one in ipairs(w or {}) do
        if not in_set or counting(one.at) then before[#before + 1], known[one.member or one] = one, true end
    end
    for n = 1, requests do
        local one = entry(at, known, n)
        after[n], known[one.member or one], at = one, true, one.at
    end
    for _, one in ipairs(before) do after[#after + 1] = one end
    if in_set then ordered(after) end
    return trimmed(after)
end

local function take(w, requests)
    local after = { kept = true }
    for i = requests + 1, #w do after[i - requests] = w[i] end
    return counts(after) and after or nil
end

local function merged(w, newer)
    local after, known = {}, {}
    for _, entries in ipairs({ newer, w }) do
        for _, one in ipairs(entries) do
            if not known[one.member or one] then after[#after + 1] = one end
            known[one.member or one] = true
        end
    end
    ordered(after)
    return trimmed(after)
end
