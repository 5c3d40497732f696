-- Windows that are a bucket of tokens in two strings: how many there were (fractions, too), and the second of the last
-- request. A request takes one; so many a second come back until the bucket is full. Clocks count in whole seconds. The
-- functions are those of keys.lua; a window is { tokens, at }.
--
-- terms: limit     so many tokens come back in a period; empty: not known, and nothing can be counted
--        period    in seconds
--        capacity  of the bucket

local kNoise = 1e-3  -- of a token: what fractions may be off

local kinds, terms = { { type = 'string' }, { type = 'string' } }, { optional, optional, optional }

local function capacity()
    local _, most = term(3)
    return most or 0
end

local function rate()
    local _, limit = term(1)
    local _, period = term(2)
    return (limit or 0) / (period or 1)
end

local function uncountable() return not (rate() > 0 and capacity() > 0) and 'no-rate' or nil end

-- A missing text is a full bucket, whatever the other one says.
local function decode(tokens, at)
    if not (tokens and at) then return { tokens = capacity(), at = 0 } end
    tokens, at = number_in(tokens), number_in(at)
    return tokens and at and { tokens = tokens, at = at }
end

local function encode(w) return string.format('%.17g', w.tokens), string.format('%.17g', w.at) end

local function filled(w) return math.min(capacity(), w.tokens + math.max(0, clock_s() - w.at) * rate()) end

local function counts(w) return uncountable() ~= nil or filled(w) < capacity() end

local function used_of(w) return capacity() - math.floor(filled(w)) end

local function end_of(w)
    if uncountable() then return math.floor(w.at) end
    return math.ceil(w.at + (capacity() - w.tokens) / rate())
end

-- Only a request renews it.
local function lives_ms(w, key)
    if w.kept then return expires_at(key) end
    return server_ms + math.floor(2 * capacity() / rate()) * 1000
end

local function bucket(tokens)
    local w = { tokens = tokens, at = clock_s() }
    if lives_ms(w) <= server_ms then return nil, 'closed' end
    return w
end

local function add(w, requests, latest)
    local tokens = (w and filled(w) or capacity()) - requests
    if not w and latest then tokens = math.max(tokens, capacity() - math.max(0, latest - clock_s()) * rate()) end
    if tokens >= capacity() then return nil, 'closed' end
    if tokens < -kMaxExact then return nil, 'overflow' end
    return bucket(tokens)
end

local function take(w, requests)
    local after = { tokens = w.tokens + requests, at = w.at, kept = true }
    return filled(after) < capacity() and after or nil
end

-- So many more were taken: whole ones, whenever it was. A bucket that begins anew has its moments in such seconds, too.
function went_on(w, was)
    local more = (w.at - was.at) * rate() + was.tokens - w.tokens
    return more > -kNoise and math.abs(more - math.floor(more + 0.5)) < kNoise
end

local function merged(w, newer) return bucket(filled(w) - (capacity() - filled(newer))) end
