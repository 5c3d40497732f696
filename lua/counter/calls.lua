-- Counters that are lists, an element a request: what number.lua is to integers. Elements that were stored stay as they
-- are; a new one is like the first of them, or the key's own name. It stands behind keys.lua, too.

local kList = { type = 'list' }
local calls, after  -- the elements of the window that is judged, and the text of those that it is to have

local function count_of(text) return decimal(#(texts_of(text) or {})) end

-- Stores so many elements, the first of them as they are in `texts`.
local function keep(key, texts, many, until_ms)
    if many > kMostElements then return 'too-large' end
    local all = {}
    for i = 1, many do all[i] = texts[i] or calls[1] or key end
    after = packed_all(all)
    write(kList, key, after, until_ms)
end

local function add_to(key, n) return keep(key, calls, #calls + tonumber(n), expires_ms(key)) end

local function take_from(key, n) return keep(key, calls, #calls - tonumber(n), expires_ms(key)) end

local function store(key, used, until_ms, text)
    local texts = text and texts_of(text) or {}
    for _, one in ipairs(text and calls or {}) do texts[#texts + 1] = one end
    return keep(key, texts, tonumber(used), until_ms)
end

local function run_counters(script)
    local judge, ends = script.judge, script.ends
    function script.state(key) return read(kList, key) end
    function script.ends(key, text) return ends(key), count_of(text) end
    function script.judge(key, expiry, text, reset)
        calls, after = text and texts_of(text) or {}, nil
        local word, used_after, reset_after, taken, first, second = judge(key, expiry, text and decimal(#calls), reset)
        return word, used_after, reset_after, taken, first, second, word == 'applied' and after or nil
    end
    for _, name in ipairs(kReads.list) do
        local refusal = KEYS[1] and forbidden(name, KEYS[1])
        if refusal then return refusal end
    end
    return run(script)
end
