-- Windows that are the times of requests in a list, the newest first: seconds, with a fraction or whole. A time counts
-- until it lies more than a period back. The build puts it in front of log.lua, for which it says:
--
-- counting(at)     that time counts still
-- free_at(at)      the first second at which it does not
-- clock()          the time of a request that comes now
-- entries_of(text) what is stored, the newest first: { at, text }; nil: something else
-- text_of(w)       such entries as a text
-- entry(at)        what the library stores of a request then

local kinds = { { type = 'list' } }
local kMostSeconds = 9e9

local period, is_whole, has_random_members  -- of log.lua

local function clock() return is_whole() and clock_s() or clock_ms() / 1000 end

local function counting(at) return at >= clock() - period() end

local function free_at(at) return math.floor(at) + period() + 1 end

local function entries_of(text)
    local texts = texts_of(text)
    if not texts or #texts == 0 then return nil end
    for i, one in ipairs(texts) do
        local at = one and #one <= 24 and find(one, '^%d+%.?%d*$') and not find(one, '%.$') and tonumber(one)
        if not at or at > kMostSeconds then return nil end
        texts[i] = { at = at, text = one }
    end
    return texts
end

local function text_of(w)
    local texts = {}
    for i, one in ipairs(w) do texts[i] = one.text end
    return packed_all(texts)
end

local function entry(at) return { at = at, text = string.format('%.17g', at) } end
