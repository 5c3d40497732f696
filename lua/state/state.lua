-- Windows whose use and end follow from what is stored and the time. The build puts it behind keys.lua and the file of
-- a limiter, in front of count.lua, refund.lua, reset.lua and restore.lua, whose columns begin with six:
--
-- 1  count, refund: amount. restore: what was stored
-- 2  count, reset: what is stored, packed (empty: no such guard). refund: a window as it was, and its end, packed: only
--    of what that has become (empty: no such guard)
-- 3  count, refund, reset: if_used_at_least. restore: when its first key expires
-- 4  count: latest. refund: `0`, no window was seen. reset: if_reset. restore: when its second key expires
-- 5  refund: clamp. restore: merge. count: of an undo, as refund's 2; then what it brings back, packed as well
-- 6  the application's clock in milliseconds, where it counts (empty: the server's does)

local function joined(first, second)
    if #kinds == 1 then return first end
    return packed(first) .. packed(second)
end

local own = {}  -- the names of the keys of the window that is judged

local function own_expires(n) return expires_at(own[n]) end

local function state(key, second)
    own[1], own[2] = key, second
    local first, fault = read(kinds[1], key)
    if fault or #kinds == 1 then return first, fault end
    local other
    other, fault = read(kinds[2], second)
    if fault then return nil, fault end
    local kept = kinds[2].kept
    if kept then beside = other end
    return (first or other and not kept) and joined(first, other)
end

local function parts_of(text)
    if #kinds == 1 then return text end
    local texts = texts_of(text)
    if not texts then return false, false end
    if kinds[2].kept then return texts[1], beside end
    return texts[1], texts[2]
end

-- expires: of what was removed; else that of the keys there.
local function window_in(text, expires)
    if not text then return nil end
    local first, other = parts_of(text)
    return decode(first, other, expires or own_expires)
end

local function ends(_, text)
    local w = window_in(text)
    if not w then return false, '' end
    local last = end_of(w)
    return last and decimal(last), not uncountable() and decimal(used_of(w)) or ''
end

local function changed(text, seen) return seen ~= '' and packed(text) ~= seen and 'window-changed' or nil end

-- Why what is there (nil: nothing) is none of what was seen, or left: a list of its state and its end. nil: it is.
local function another(w, seen)
    if not seen[1] then return nil end
    local was = window_in(seen[1])
    if was and not counts(was) then return 'closed' end
    local same = was and w and counts(w) and went_on(w, was, integer(seen[2] or ''))
    return not same and 'window-changed' or nil
end

-- Plans to store it; returns the answer.
local function stored(key, second, w, taken)
    local first, other, stays = encode(w)
    local lives, other_lives = lives_ms(w, key)
    if other_lives == nil then other_lives = lives end
    if first then write(kinds[1], key, first, lives and decimal(lives)) end
    if other and not (stays or kinds[2].kept) then
        write(kinds[2], second, other, other_lives and decimal(other_lives))
    end
    return 'applied', decimal(used_of(w)), decimal(end_of(w)), taken, nil, nil, joined(first, other)
end

local function drop(key, second)
    remove(key)
    if second and not kinds[2].kept then remove(second) end
end

-- The reply of a script that judges a window by `judge`.
local function run_state(kind, columns, judge)
    for n, read_as in ipairs(terms) do columns[kColumns + n] = read_as end
    for i, of in ipairs(kinds) do
        for _, name in ipairs(kReads[of.type]) do
            local refusal = KEYS[i] and forbidden(name, KEYS[i])
            if refusal then return refusal end
        end
    end
    return run({ kind = kind, columns = columns, judge = judge, ends = ends, parts = #kinds, state = state,
        reads = kExpiryOf })
end
