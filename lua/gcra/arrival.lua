-- Windows that are one moment: when all that was used is free again (GCRA's theoretical arrival time). A request moves
-- it by what the policy gives one request: its period, divided by its limit. The build puts this behind operation.lua,
-- in front of scripts whose columns begin with:
--
-- unit        what the stored text says: `ns`, nanoseconds since the epoch; else seconds, as the library's Lua writes
--             them, since this second
-- life        how long the key lives, counted to the moment: `floor` (in whole seconds, one at least), `ceil` (in whole
--             seconds), `ms`
-- limit       how many requests pass in a period; empty: not known, and nothing can be counted
-- period      in seconds
--
-- arrival(text)          the moment, as the second and the nanoseconds in it; nil: it is none
-- moved(s, ns, requests) the moment that many requests later, or earlier (negative)
-- text_of(s, ns)         as it is stored
-- has_rate()             limit and period are known
-- ahead_ns(s, ns)        how far it is ahead of the server's clock
-- used_at(s, ns)         how many requests that stands for
-- end_of(s, ns)          the second at which all is free again, as text
-- store(key, s, ns)      plans to store it, with the library's life
-- ends(key, text)        the script's `ends`
-- changed(text, seen)    `window-changed` where what is stored is not what was seen (packed); nil: it is, or no guard
--                        asks

local kMostSeconds = 9e9  -- more nanoseconds than that are none of 64 bits
local kNoise = 1000       -- in nanoseconds: what a moment as a number may be off

local function normal(s, ns)
    local carried = math.floor(ns / 1e9)
    return s + carried, ns - carried * 1e9
end

local function arrival(text)
    if asked[1] == 'ns' then
        if not find(text, '^%d+$') or #text < 10 or #text > 19 then return nil end
        return tonumber(string.sub(text, 1, -10)), tonumber(string.sub(text, -9))
    end
    local seconds = find(text, '^%-?%d+%.?%d*$') and #text <= 24 and tonumber(text)
    if not seconds then return nil end
    local whole = math.floor(seconds)
    return normal(whole + tonumber(asked[1]), math.floor((seconds - whole) * 1e9 + 0.5))
end

local function text_of(s, ns)
    if asked[1] == 'ns' then return string.format('%d%09d', s, ns) end
    return string.format('%.17g', s - tonumber(asked[1]) + ns / 1e9)
end

local function has_rate() return (numbers[3] or 0) > 0 and (numbers[4] or 0) > 0 end

local function request_ns()
    local each = numbers[4] * 1e9 / numbers[3]
    return asked[1] == 'ns' and math.floor(each) or each
end

local function moved(s, ns, requests) return normal(s, math.floor(ns + requests * request_ns() + 0.5)) end

-- The seconds first: together with nanoseconds they are beyond what a number holds.
local function ahead_ns(s, ns)
    return (s - math.floor(server_ms / 1000)) * 1e9 + ns - server_ms % 1000 * 1e6
end

local function used_at(s, ns)
    return math.max(0, math.ceil((ahead_ns(s, ns) - kNoise) / request_ns()))
end

local function end_of(s, ns) return decimal(ns > 0 and s + 1 or s) end

local function store(key, s, ns)
    local left_s = ahead_ns(s, ns) / 1e9
    local life_ms = asked[2] == 'ms' and math.ceil(left_s * 1000)
        or asked[2] == 'ceil' and math.ceil(left_s) * 1000
        or math.max(1, math.floor(left_s)) * 1000
    put(key, text_of(s, ns), decimal(server_ms + life_ms))
end

local function ends(_, text)
    local s, ns = arrival(text)
    if not s then return false end
    return end_of(s, ns), has_rate() and decimal(used_at(s, ns)) or ''
end

local function changed(text, seen) return seen ~= '' and packed(text) ~= seen and 'window-changed' or nil end

-- Why nothing can be counted here; nil: it can.
local function uncountable(text)
    if text and not arrival(text) then return 'not-an-integer' end
    return not has_rate() and 'no-rate' or nil
end
