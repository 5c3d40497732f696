-- Windows that are leases in one sorted set: a request that begins adds a member of its own, whose score is the second,
-- and takes it away when it ends. Whose end was lost counts until its lease is over, and stays until the limiter's next
-- check removes it. The application's clock counts, in whole seconds. The functions are those of keys.lua; a window is
-- its leases, the oldest first: { start, score = its text, member }.
--
-- terms: lease  how long one lasts, in seconds
--
-- What ratectl adds is named so, with its moment and a number: no request has such a lease and would take it away.

local kinds, terms = { { type = 'zset' } }, { integer }
local kMostSeconds = 9e9  -- more nanoseconds than that are none of 64 bits
local kOwn = 'ratectl:'

local function uncountable() return nil end

local function lease_s()
    local _, seconds = term(1)
    return seconds
end

local function decode(text)
    local texts = texts_of(text)
    if not texts or #texts == 0 or #texts % 2 == 1 then return nil end
    local w = {}
    for i = 1, #texts, 2 do
        local start = number_in(texts[i] or '')
        if not start or math.abs(start) > kMostSeconds then return nil end
        w[#w + 1] = { start = start, score = texts[i], member = texts[i + 1] or texts[i] }
    end
    return w
end

local function encode(w)
    local texts = {}
    for i, one in ipairs(w) do texts[i] = packed(one.score) .. packed(one.member ~= one.score and one.member) end
    return table.concat(texts)
end

local function live(w)
    local kept, over = {}, clock_s() - lease_s()
    for _, one in ipairs(w) do
        if one.start > over then kept[#kept + 1] = one end
    end
    return kept
end

local function counts(w) return #live(w) > 0 end

local function used_of(w) return #live(w) end

local function end_of(w) return math.ceil(w[#w].start) + lease_s() end

-- The limiter sets no TTL. One that is there all the same stays.
local function lives_ms(_, key) return expires_at(key) end

-- As Redis has them.
local function is_before(a, b)
    if a.start ~= b.start then return a.start < b.start end
    return is_below(a.member, b.member)
end

-- Of two lists in that order, all of both.
local function together(a, b)
    if #a + #b > kMostElements then return nil, 'too-large' end
    local all, i, j = {}, 1, 1
    while a[i] or b[j] do
        if a[i] and (not b[j] or is_before(a[i], b[j])) then
            all[#all + 1], i = a[i], i + 1
        else
            all[#all + 1], j = b[j], j + 1
        end
    end
    return all
end

local function add(w, requests)
    local kept, added, taken, number = w and live(w) or {}, {}, {}, 0
    if #kept + requests > kMostElements then return nil, 'too-large' end
    local start = clock_s()
    for _, one in ipairs(kept) do taken[one.member] = true end
    for _ = 1, requests do
        local member
        repeat
            number = number + 1
            member = string.format('%s%d:%05d', kOwn, server_ms, number)
        until not taken[member]
        added[#added + 1] = { start = start, score = decimal(start), member = member }
    end
    return together(kept, added)
end

-- The youngest of ratectl's own, whom no request misses; then the oldest, whose requests are the likeliest to be lost.
local function take(w, requests)
    local kept, after = live(w), {}
    local function leave(from, to, step, test)
        for i = from, to, step do
            if requests > 0 and kept[i] and test(kept[i]) then kept[i], requests = false, requests - 1 end
        end
    end
    local count = #kept
    leave(count, 1, -1, function(one) return string.sub(one.member, 1, #kOwn) == kOwn end)
    leave(1, count, 1, function() return true end)
    for i = 1, count do
        if kept[i] then after[#after + 1] = kept[i] end
    end
    return #after > 0 and after or nil
end

local function merged(w, newer)
    local since, before, taken = live(newer), {}, {}
    for _, one in ipairs(since) do taken[one.member] = true end
    for _, one in ipairs(live(w)) do
        if not taken[one.member] then before[#before + 1] = one end
    end
    return together(before, since)
end
