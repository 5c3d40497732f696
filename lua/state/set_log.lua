-- Windows that are the times of requests in a sorted set: the score of each is its microsecond. A time counts until it
-- lies a period back. The build puts it in front of log.lua; the functions are those of list_log.lua, and entries have
-- a member, too: entry(at, known, n) makes the n-th of a call, with a member that is not known.

local kinds = { { type = 'zset' } }
local kMostMicroseconds = 9e15

local period, is_whole, has_random_members  -- of log.lua

local function clock() return clock_ms() * 1000 end

local function counting(at) return at > clock() - period() * 1e6 end

local function free_at(at) return math.ceil(at / 1e6) + period() end

local function entries_of(text)
    local texts = texts_of(text)
    if not texts or #texts == 0 or #texts % 2 ~= 0 then return nil end
    local entries = {}
    for i = #texts - 1, 1, -2 do
        local score = texts[i]
        local at = score and #score <= 24 and find(score, '^%d+%.?%d*$') and not find(score, '%.$') and tonumber(score)
        if not at or at > kMostMicroseconds then return nil end
        entries[#entries + 1] = { at = at, text = score, member = texts[i + 1] or score }
    end
    return entries
end

local function text_of(w)
    local texts = {}
    for i = #w, 1, -1 do
        local one, n = w[i], #texts
        texts[n + 1], texts[n + 2] = one.text, one.member ~= one.text and one.member
    end
    return packed_all(texts)
end

-- As a UUID of chance looks; a script has none, and what it is called with and does not find there will do.
local function random_member(at, known, n)
    for salt = n, kMaxExact do
        local hex = redis.sha1hex(ARGV[2] .. ' ' .. decimal(at) .. ' ' .. decimal(salt))
        local member = string.gsub(hex, '^(%x%x%x%x%x%x%x%x)(%x%x%x%x)%x(%x%x%x)%x(%x%x%x)(%x%x%x%x%x%x%x%x%x%x%x%x).*$',
            '%1-%2-4%3-a%4-%5')
        if not known[member] then return member end
    end
end

-- Where the time is the member, each has a microsecond of its own.
local function entry(at, known, n)
    while not has_random_members() and known[decimal(at)] do at = at - 1 end
    local text = decimal(at)
    return { at = at, text = text, member = has_random_members() and random_member(at, known, n) or text }
end
