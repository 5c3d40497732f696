-- Windows that are a bucket of tokens in one hash: how many there were, and the millisecond up to which it has been
-- filled. A request takes one; at the end of every whole period from there so many come back at once, until the bucket
-- is full. The functions are those of keys.lua; a window is { tokens, at }.
--
-- terms: limit     so many tokens come back in a period; empty: not known, and nothing can be counted
--        period    in seconds
--        capacity  of the bucket

local kinds, terms = { { type = 'hash', fields = { 'refilledAt', 'tokens' } } }, { optional, optional, optional }
local kMostMs = 9e12  -- more nanoseconds than that are none of 64 bits

local function figure(n)
    local _, number = term(n)
    return number or 0
end

local function each() return figure(1) end
local function step_ms() return figure(2) * 1000 end
local function capacity() return figure(3) end

local function uncountable() return not (each() > 0 and step_ms() > 0 and capacity() > 0) and 'no-rate' or nil end

local function decode(text)
    local texts = texts_of(text) or {}
    local at, tokens = number_in(texts[1] or ''), number_in(texts[2] or '')
    return at and math.abs(at) <= kMostMs and tokens and { tokens = tokens, at = at } or nil
end

local function encode(w)
    return packed(string.format('%.17g', w.at)) .. packed(string.format('%.17g', w.tokens))
end

local function filled(w)
    local steps = math.max(0, math.floor((clock_ms() - w.at) / step_ms()))
    return { tokens = math.min(capacity(), w.tokens + steps * each()), at = w.at + steps * step_ms() }
end

local function missing(w) return capacity() - filled(w).tokens end

-- How long it takes until so many are back.
local function takes_ms(tokens) return math.ceil(tokens / each()) * step_ms() end

local function counts(w) return uncountable() ~= nil or missing(w) > 0 end

local function used_of(w) return capacity() - math.floor(filled(w).tokens) end

local function end_of(w)
    local ms = uncountable() and w.at or w.at + takes_ms(capacity() - w.tokens)
    return math.ceil(math.max(-kMostMs, math.min(ms, kMostMs)) / 1000)
end

-- Only a request renews it.
local function lives_ms(w, key)
    if w.kept then return expires_at(key) end
    return server_ms + takes_ms(capacity() - w.tokens)
end

local function bucket(w)
    if w.tokens >= capacity() then return nil, 'closed' end
    if w.tokens < -kMaxExact or takes_ms(capacity() - w.tokens) > kMostMs - server_ms then return nil, 'overflow' end
    return w
end

-- One that has to be full by `latest` has begun so much earlier.
local function add(w, requests, latest, found)
    local after = found and filled(found) or { tokens = capacity(), at = clock_ms() }
    after.tokens = after.tokens - requests
    if not w and latest then
        after.at = math.min(after.at, latest * 1000 - takes_ms(requests))
        after = filled(after)
    end
    return bucket(after)
end

local function take(w, requests)
    local after = { tokens = w.tokens + requests, at = w.at, kept = true }
    return missing(after) > 0 and after or nil
end

-- The ends of its periods stay where they are.
function went_on(w, was)
    local steps = (w.at - was.at) / step_ms()
    return steps == math.floor(steps) and steps * each() >= w.tokens - was.tokens
end

local function merged(w, newer)
    local after = filled(w)
    after.tokens = after.tokens - missing(newer)
    return bucket(after)
end
