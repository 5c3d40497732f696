-- What the keys of a window hold, of whatever type, as one text (its state), and how such a text is stored again. The
-- build puts it behind operation.lua and in front of the file of a limiter, which says:
--
-- kinds            its keys in their order (one or two): { type = its type, fields = of a hash, those that count,
--                  kept = true: it says how windows are counted, is never written, and without the first there is no
--                  window, sparse = true: of a hash, without these fields it is as good as none }
-- terms            how the arguments behind the first six columns are read (see state.lua)
-- decode(a, b, expires)
--                  what the texts of both keys (false: none) mean: anything but nil, which is no window. expires(n):
--                  when the n-th key, which is there, expires, in milliseconds of the server's clock (false: never)
-- encode(w)        the texts of both keys (false: it is left as it is), and whether the second one stays as it is all
--                  the same
-- lives_ms(w, key) when they are to expire, in milliseconds of the server's clock (false: never); a second answer is
--                  the second key's
-- counts(w)        something of it is used
-- used_of(w)       how many are
-- end_of(w)        the second at which all is free again; nil: what is stored does not say
-- uncountable()    why nothing can be counted under these terms, a word; nil: it can
-- add(w, n, latest, found)
--                  the window with n requests more (w: nil, where nothing of it counts; found: what is there all the
--                  same); where `latest` is a number, so that none of a new window is used later than that second. Or
--                  nil and the word that says why not
-- take(w, n)       the window with n requests less; nil: nothing of it is left, or it and the word that says why not
-- most_taken(w)    so many may be given back, where that is not all that are used; a limiter may leave it out
-- went_on(w, was, ends)
--                  w may be what `was`, which ended then, has become by more requests and by time; false: it is another
--                  window, or some were given back. A limiter may leave it out that keeps each request
-- merged(w, newer) one window with what both have used
--
-- beside           what the kept key of the window at hand holds, which counts as it is now (false: nothing)
-- term(n)          the text of the n-th argument of the limiter, and its number
-- clock_ms()       the application's clock, in milliseconds; the server's where the limiter goes by that
-- clock_s()        its second
-- number_in(text)  a number as programs write it, without an exponent, within what is exact; nil: it is none
-- is_below(a, b)   how Redis orders members of one score
-- read(kind, key)  the text of one key; false: nothing is there; nil and a word: another type, or too large
-- further(kind, key, text)
--                  of a hash that is to be removed, what it holds beside this text: pairs of a name and what it says,
--                  packed ('': nothing); nil and a word: too much to be put back. Behind the text they are its state
--                  as a whole, which write() stores again
-- write(kind, key, text, until_ms)
--                  plans to store that text

local most_taken
local kColumns = 6

-- One of the requests is in both.
local function went_on(w, was)
    local known = {}
    for _, one in ipairs(was) do known[one.member or one.text] = true end
    for _, one in ipairs(w) do
        if known[one.member or one.text] then return true end
    end
    return false
end

local kMostElements = 10000
local kChunk = 1000  -- of elements in one command

local beside = false

local function term(n) return asked[kColumns + n], numbers[kColumns + n] end

local function clock_ms() return numbers[kColumns] or server_ms end

local function clock_s() return math.floor(clock_ms() / 1000) end

local function number_in(text)
    local number = #text <= 24 and find(text, '^%-?%d+%.?%d*$') and not find(text, '%.$') and tonumber(text)
    return number and math.abs(number) <= kMaxExact and number or nil
end

-- By their bytes: Lua's own order is that of the server's locale.
local function is_below(a, b)
    for i = 1, math.min(#a, #b) do
        local left, right = string.byte(a, i), string.byte(b, i)
        if left ~= right then return left < right end
    end
    return #a < #b
end

local function packed_all(texts)
    for i = 1, #texts do texts[i] = packed(texts[i]) end
    return table.concat(texts)
end

local readers = {}

function readers.string(key)
    local text = call('GETRANGE', key, 0, kMaxValue)
    if #text > kMaxValue then return nil, 'too-large' end
    return text
end

-- A hash with none of the fields is of another program: what is written would be beside what that keeps.
function readers.hash(key, kind)
    local text = packed_all(call('HMGET', key, unpack(kind.fields)))
    if find(text, '%d') then return text end
    if kind.sparse then return false end
    return nil, 'wrong-type'
end

function readers.list(key)
    if call('LLEN', key) > kMostElements then return nil, 'too-large' end
    return packed_all(call('LRANGE', key, 0, -1))
end

function readers.zset(key)
    if call('ZCARD', key) > kMostElements then return nil, 'too-large' end
    local texts = call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #texts, 2 do
        local member, score = texts[i], texts[i + 1]
        texts[i], texts[i + 1] = score, member ~= score and member
    end
    return packed_all(texts)
end

local kReads = { string = { 'GETRANGE' }, hash = { 'HMGET' }, list = { 'LLEN', 'LRANGE' }, zset = { 'ZCARD', 'ZRANGE' } }

local function read(kind, key)
    local found = call('TYPE', key).ok
    if found == 'none' then return false end
    if found ~= kind.type then return nil, 'wrong-type' end
    return readers[found](key, kind)
end

local function count_further(kind, key, text)
    if kind.type ~= 'hash' or not text then return 0 end
    denied = denied or forbidden('HLEN', key)
    if denied then return 0 end
    local count, texts = call('HLEN', key), texts_of(text)
    for i = 1, #kind.fields do
        if texts[i] then count = count - 1 end
    end
    return count
end

local function further(kind, key, text)
    local count = count_further(kind, key, text)
    denied = denied or (count > 0 and forbidden('HGETALL', key) or nil)
    if denied or count == 0 then return '' end
    if count > kMostElements then return nil, 'too-large' end
    local own, all, rest = {}, call('HGETALL', key), {}
    for _, field in ipairs(kind.fields) do own[field] = true end
    for i = 1, #all, 2 do
        if not own[all[i]] then rest[#rest + 1] = packed(all[i]) .. packed(all[i + 1]) end
    end
    rest = table.concat(rest)
    if #rest > kMaxValue then return nil, 'too-large' end
    return rest
end

-- What a hash held beside its limiter's fields; a name that stands there by now keeps what it says.
local function write_further(kind, key, texts)
    local pairs_of = {}
    for i = #kind.fields + 1, #texts, 2 do
        if not call('HMGET', key, texts[i])[1] then
            pairs_of[#pairs_of + 1], pairs_of[#pairs_of + 2] = texts[i], texts[i + 1]
        end
        if #pairs_of == kChunk or (i + 1 == #texts and #pairs_of > 0) then
            plan('HSET', key, pairs_of)
            pairs_of = {}
        end
    end
end

-- Elements are replaced as a whole: the old key goes first.
-- In the place of all that are there. What empties the key is no DEL: those are counted on servers, and ratectl takes
-- each of them for a sign that an operation's record may be gone.
local function push(name, key, elements)
    if name == 'RPUSH' then
        plan('LTRIM', key, { '1', '0' })
    else
        plan('ZREMRANGEBYRANK', key, { '0', '-1' })
    end
    for first = 1, #elements, kChunk do
        plan(name, key, { unpack(elements, first, math.min(first + kChunk - 1, #elements)) })
    end
end

local writers = {}

function writers.hash(key, texts, kind)
    local pairs_of = {}
    for i, field in ipairs(kind.fields) do
        if texts[i] then pairs_of[#pairs_of + 1], pairs_of[#pairs_of + 2] = field, texts[i] end
    end
    plan('HSET', key, pairs_of)
    write_further(kind, key, texts)
end

function writers.list(key, texts) push('RPUSH', key, texts) end

function writers.zset(key, texts)
    for i = 2, #texts, 2 do texts[i] = texts[i] or texts[i - 1] end
    push('ZADD', key, texts)
end

local function write(kind, key, text, until_ms)
    if kind.type == 'string' then return put(key, text, until_ms) end
    writers[kind.type](key, texts_of(text), kind)
    if until_ms then plan('PEXPIREAT', key, until_ms) end
end
