-- Windows that are one moment: when all that was used is free again (GCRA's theoretical arrival time). A request moves
-- it by what the policy gives one request: its period, divided by its limit. The server's clock counts. The functions
-- are those of keys.lua; a window is { s, ns }, the second of the moment and the nanoseconds in it.
--
-- terms: unit    what the stored text says: `ns`, nanoseconds since the epoch; else seconds, as the library's Lua
--                writes them, since this second
--        life    how long the key lives, counted to the moment: `floor` (in whole seconds, one at least), `ceil` (in
--                whole seconds), `ms`
--        limit   how many requests pass in a period; empty: not known, and nothing can be counted
--        period  in seconds

local kMostSeconds = 9e9  -- more nanoseconds than that are none of 64 bits
local kNoise = 1000       -- in nanoseconds: what a moment as a number may be off

local kinds, terms = { { type = 'string' } }, { any, any, optional, optional }

local function in_nanoseconds() return term(1) == 'ns' end

local function moment(s, ns)
    local carried = math.floor(ns / 1e9)
    return { s = s + carried, ns = ns - carried * 1e9 }
end

local function decode(text)
    if in_nanoseconds() then
        if not find(text, '^%d+$') or #text < 10 or #text > 19 then return nil end
        return moment(tonumber(string.sub(text, 1, -10)), tonumber(string.sub(text, -9)))
    end
    local seconds = find(text, '^%-?%d+%.?%d*$') and #text <= 24 and tonumber(text)
    if not seconds then return nil end
    local whole = math.floor(seconds)
    return moment(whole + tonumber((term(1))), math.floor((seconds - whole) * 1e9 + 0.5))
end

local function encode(w)
    if in_nanoseconds() then return string.format('%d%09d', w.s, w.ns) end
    return string.format('%.17g', w.s - tonumber((term(1))) + w.ns / 1e9)
end

local function rate()
    local _, limit = term(3)
    local _, period = term(4)
    return limit or 0, period or 0
end

local function uncountable()
    local limit, period = rate()
    return not (limit > 0 and period > 0) and 'no-rate' or nil
end

local function request_ns()
    local limit, period = rate()
    local each = period * 1e9 / limit
    return in_nanoseconds() and math.floor(each) or each
end

local function moved(w, requests) return moment(w.s, math.floor(w.ns + requests * request_ns() + 0.5)) end

-- The seconds first: together with nanoseconds they are beyond what a number holds.
local function ahead_ns(w) return (w.s - math.floor(server_ms / 1000)) * 1e9 + w.ns - server_ms % 1000 * 1e6 end

local function counts(w) return ahead_ns(w) > 0 end

local function used_of(w) return math.max(0, math.ceil((ahead_ns(w) - kNoise) / request_ns())) end

local function end_of(w) return w.ns > 0 and w.s + 1 or w.s end

local function lives_ms(w)
    local left_s, life = ahead_ns(w) / 1e9, term(2)
    return server_ms + (life == 'ms' and math.ceil(left_s * 1000) or life == 'ceil' and math.ceil(left_s) * 1000
        or math.max(1, math.floor(left_s)) * 1000)
end

local function add(w, requests, latest)
    local after = moved(w or moment(math.floor(server_ms / 1000), server_ms % 1000 * 1e6), requests)
    if not w and latest and after.s >= latest then after = moment(latest, 0) end
    if not counts(after) then return nil, 'closed' end
    if after.s > kMostSeconds then return nil, 'overflow' end
    return after
end

-- What would not lie ahead of the clock any more is removed: left as it is, it would count as if nothing had been given
-- back.
local function take(w, requests)
    local after = moved(w, -requests)
    return counts(after) and after or nil
end

-- By so much each, and by nothing else it is moved: one that begins anew begins at any moment.
function went_on(w, was)
    local apart = (w.s - was.s) * 1e9 + w.ns - was.ns
    local requests = math.floor(apart / request_ns() + 0.5)
    return math.abs(apart - requests * request_ns()) <= kNoise * (1 + math.abs(requests) / 8)
end

local function merged(w, newer)
    local after = moment(w.s, w.ns + ahead_ns(newer))
    if after.s > kMostSeconds then return nil, 'overflow' end
    return after
end
