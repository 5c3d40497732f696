-- Windows that are a bucket of tokens in a hash, filled with each whole window of time that has passed: how many there
-- were (fractions, too), and when that window began. Beside it a hash of knobs, of which all count as soon as it says
-- so many a second. The server's clock counts, in whole seconds. The functions are those of keys.lua; a window is
-- { tokens, at }.
--
-- terms: limit     so many tokens come back with each window; empty: not known, and only knobs say what counts
--        period    how long a window is, in seconds
--        capacity  of the bucket

local kMostSeconds = 9e9
local kNoise = 1e-3  -- what fractions may be off

local kinds = {
    { type = 'hash', fields = { 'tokens', 'refreshed' } },
    { type = 'hash', fields = { 'rps', 'burst', 'window' }, kept = true, sparse = true },
}
local terms = { optional, optional, optional }

local function number_in(text)
    if not text or #text > 24 then return nil end
    local digits = string.match(text, '^(.*)[eE][+-]?%d%d?$') or text
    return find(digits, '^%-?%d*%.?%d+$') and tonumber(text)
end

local function is_within(number, most) return math.abs(number) <= most end  -- NaN never is

local function rates_of(rps, burst, window, capacity)
    local lives = math.floor(burst * window * 2)
    if lives == 0 and 1 / lives < 0 then return false end  -- Redis takes no -0 for a TTL
    if not (is_within(lives, kMaxExact) and is_within(capacity, kMaxExact) and is_within(window, kMostSeconds)) then
        return false
    end
    local counts = rps > 0 and window > 0 and capacity > 0
    return { rps = rps, window = window, capacity = capacity, lives = lives, counts = counts }
end

-- nil: nothing says how fast it fills; false: what the knobs say is nothing that the limiter could count by.
local function rates()
    local knobs = beside and texts_of(beside)
    if knobs and knobs[1] then
        local rps, burst, window = tonumber(knobs[1]), tonumber(knobs[2]), tonumber(knobs[3])
        if not (rps and burst and window) then return false end
        if rps == 0 or rps == -1 then  -- the limiter looks at no bucket, and makes none
            local waits = rps == -1 or math.abs(window) < math.huge
            return waits and { rps = rps, window = window, capacity = 0, lives = 0, counts = false }
        end
        return rates_of(rps, burst, window, math.ceil(rps * burst * window))
    end
    local _, limit = term(1)
    local _, period = term(2)
    local _, capacity = term(3)
    if not (limit and period and period > 0) then return nil end
    capacity = capacity or limit
    return rates_of(limit / period, limit > 0 and capacity / limit or 0, period, capacity)
end

local function uncountable()
    local r = rates()
    if r == nil then return 'no-rate' end
    if not r then return 'not-an-integer' end
    return not r.counts and 'not-counted' or nil
end

local function decode(bucket)
    local texts = texts_of(bucket)
    if rates() == false or not texts then return nil end
    local tokens, at = number_in(texts[1]), number_in(texts[2])
    if texts[1] and not tokens or texts[2] and not at then return nil end
    if math.abs(tokens or 0) > kMaxExact or math.abs(at or 0) > kMostSeconds then return nil end
    return { tokens = tokens or false, at = at or 0 }
end

local function text_of(number) return number and packed(string.format('%.17g', number)) or packed(false) end

local function encode(w) return text_of(w.tokens) .. text_of(w.at), beside end

local function now() return math.floor(server_ms / 1000) end

-- As the limiter would leave it at this moment.
local function filled(w)
    local r = rates()
    local windows = math.floor(math.max(0, now() - w.at) / r.window)
    local more = math.ceil(windows * r.rps * r.window)
    local at = w.at
    if more > 0 then at = at == 0 and now() or at + windows * r.window end
    return { tokens = math.min(r.capacity, (w.tokens or r.capacity) + more), at = at }
end

local function counts(w) return uncountable() ~= nil or filled(w).tokens < rates().capacity end

local function used_of(w) return rates().capacity - math.floor(filled(w).tokens) end

-- What comes back is rounded up, whatever part of a token it is: so many windows bring what lacks.
local function end_of(w)
    if uncountable() then return math.floor(w.at) end
    local r = rates()
    local lacks = math.ceil(r.capacity - (w.tokens or r.capacity))
    local windows = math.max(1, math.floor((lacks - 1) / (r.rps * r.window)) - 1)
    if lacks <= 0 then windows = 0 end
    if windows > kMostSeconds then return kMostSeconds end
    while math.ceil(windows * r.rps * r.window) < lacks do windows = windows + 1 end
    return math.min(kMostSeconds, math.ceil(w.at + windows * r.window))
end

-- Only a request renews it.
local function lives_ms(w, key)
    if w.kept then return expires_at(key) end
    return server_ms + rates().lives * 1000
end

local function bucket(w)
    local r = rates()
    if w.tokens >= r.capacity or r.lives <= 0 then return nil, 'closed' end
    if w.tokens < -kMaxExact then return nil, 'overflow' end
    return w
end

-- A full bucket goes on with its windows, too.
local function add(w, requests, latest, there)
    local r = rates()
    local after = filled(w or there or { tokens = false, at = 0 })
    after.tokens = after.tokens - requests
    if not w and latest then
        local windows = math.floor(math.max(0, latest - now()) / r.window)
        after.tokens = math.max(after.tokens, r.capacity - math.ceil(windows * r.rps * r.window))
    end
    return bucket(after)
end

local function take(w, requests)
    local capacity = rates().capacity
    local after = { tokens = math.min(capacity, (w.tokens or capacity) + requests), at = w.at, kept = true }
    return filled(after).tokens < capacity and after or nil
end

-- The ends of its windows stay where they are, and each brings at most so many back, rounded up.
function went_on(w, was)
    local r = rates()
    local windows = (w.at - was.at) / r.window
    local most = windows * math.ceil(r.rps * r.window) + kNoise
    local more = (w.tokens or r.capacity) - (was.tokens or r.capacity)
    return more <= most and math.abs(windows - math.floor(windows + 0.5)) < kNoise
end

local function merged(w, newer)
    local word = uncountable()
    if word then return nil, word end
    local before, since = filled(w), filled(newer)
    return bucket({ tokens = since.tokens - (rates().capacity - before.tokens), at = since.at })
end
