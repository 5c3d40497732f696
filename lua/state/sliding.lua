-- Windows of two counters: the requests of the present period, and those of the one before, of which fewer count the
-- longer ago it is. The functions are those of keys.lua; a window is { present, previous, first, second (their texts),
-- at, previous_at (when the keys expire), fades (the ms at which none of the previous ones counts any more), turns (at
-- which the present ones begin to be the previous ones), ends (at which none of those counts any more), past (it is
-- not that of the clock), moved (its second key is to be written, too) }.
--
-- terms: begins  the millisecond at which the period of the first key begins, by the application's clock; `ttl`: its
--                TTL says that, which is two periods, by the server's; empty: not known, and nothing can be counted
--        period  in seconds; empty: the same

local kMostSeconds = 1e10

local kinds, terms = { { type = 'string' }, { type = 'string' } }, { any, optional }

local function period_ms()
    local _, seconds = term(2)
    return (seconds or 0) * 1000
end

local function begins() return tonumber((term(1))) end

local function now_ms() return begins() and clock_ms() or server_ms end

local function uncountable()
    local period = period_ms()
    return (term(1) == '' or period <= 0 or period > kMostSeconds * 1000) and 'no-rate' or nil
end

-- As the library rounds it.
local function faded(count, left)
    local period = period_ms()
    left = math.max(0, begins() and math.min(period, left) or left)
    local fades = begins() and (1 - (period - left) / period) * count or count * left / period
    return math.max(-kMaxExact, math.min(kMaxExact, math.floor(fades)))
end

-- The moments that follow from the number of the window, or from its TTLs.
local function settled(w)
    local period, first = period_ms(), begins()
    if first then
        w.fades, w.turns, w.ends = first + period, first + period, first + 2 * period
        w.past = now_ms() < first or now_ms() >= w.turns
    elseif w.at then
        w.fades, w.turns, w.ends = w.previous_at or w.at - period, w.at - period + 1, w.at
    else
        w.fades, w.turns = w.previous_at or 0, math.huge
    end
    return w
end

local function count_in(text)
    if not text then return 0 end
    return integer(text)
end

local function decode(first, second, expires)
    local present, previous = count_in(first), count_in(second)
    if not (present and previous) then return nil end
    local w = { present = present, previous = previous, first = first, second = second,
        at = first and expires(1), previous_at = second and expires(2) }
    if not (w.previous_at or begins()) then w.previous = 0 end  -- to the library its time has run out
    return uncountable() and w or settled(w)
end

local function is_endless(w) return w.first and not w.at and not begins() end

local function parts_at(w, ms)
    if begins() and ms < begins() then return 0, 0 end
    if ms >= w.turns then return 0, faded(w.present, w.ends - ms) end
    return w.present, faded(w.previous, w.fades - ms)
end

local function counts(w)
    if uncountable() then return true end
    local present, previous = parts_at(w, now_ms())
    return present ~= 0 or previous ~= 0
end

local function used_of(w)
    local present, previous = parts_at(w, now_ms())
    return present + previous
end

local function faded_at(count, last)
    if count == 0 then return last - period_ms() end
    local before, at = last - period_ms(), last
    while at - before > 1 do
        local middle = before + math.floor((at - before) / 2)
        if faded(count, last - middle) == 0 then at = middle else before = middle end
    end
    return at
end

local function end_ms(w)
    if uncountable() then return w.at or w.previous_at end
    if w.present == 0 then return faded_at(w.previous, w.fades) end
    return w.ends and faded_at(w.present, w.ends)
end

local function end_of(w)
    local ms = end_ms(w)
    return ms and math.ceil(ms / 1000)
end

local function lives_ms(w) return w.at, w.previous_at end

local function encode(w)
    local second = w.second
    if w.moved then second = (w.previous_at or w.previous ~= 0) and decimal(w.previous) end
    return decimal(w.present), second, not w.moved
end

local function has_turned(w) return not begins() and w.turns <= server_ms end

-- As the library does with its next request, once the present period is over by its TTL.
local function moved(w)
    if not has_turned(w) then return w end
    return settled({ present = 0, previous = w.present, at = w.at + period_ms(), previous_at = w.at, first = w.first,
        moved = true })
end

function most_taken(w)
    if w.past or has_turned(w) then return 0 end
    return math.max(0, w.present)
end

-- Both are read by the TTLs that are there now: a period that began anew has another end.
function went_on(w, was, ends)
    local last = end_of(was)
    return w.present >= was.present and not (ends and last and math.abs(last - ends) > 1)
end

local function add(w, requests, latest, stale)
    local open = w ~= nil
    w = w or stale or decode(false, false)
    if w.past then return nil, 'closed' end
    if is_endless(w) then return nil, 'no-expiry' end
    w = moved(w)
    if w.present + requests > kMaxExact then return nil, 'overflow' end
    local begun = w.first and (w.present ~= 0 or not begins())
    w.present = w.present + requests
    if begun then return w end
    w.at = server_ms + 2 * period_ms() + (begins() and 1000 or 0)
    settled(w)
    if latest and not open and not begins() then
        w.at = w.at - math.max(0, end_ms(w) - latest * 1000)
        if not counts(settled(w)) then return nil, 'closed' end
    end
    return w
end

-- Its key stays, as it does with the library.
local function take(w, requests)
    if is_endless(w) then return nil, 'no-expiry' end
    w.present = w.present - requests
    return w
end

-- Where periods have no number, the newer requests go with the period that was removed.
local function merged(w, newer)
    if uncountable() then return nil, 'no-rate' end
    if w.past or newer.past then return nil, 'closed' end
    w, newer = moved(w), moved(newer)
    w.at, w.previous_at = w.at or newer.at, w.previous_at or newer.previous_at
    if not (w.at or begins()) then return nil, 'no-expiry' end
    w.present, w.previous = w.present + newer.present, w.previous + newer.previous
    if w.present > kMaxExact or w.previous > kMaxExact then return nil, 'overflow' end
    w.moved = true
    return settled(w)
end
