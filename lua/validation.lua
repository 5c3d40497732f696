-- What the writing scripts ask before they write, and how they say what they will write. The build puts it in front of
-- them.
--
-- integer(text)       the number, or nil for what is not canonical (`0` or `-?[1-9][0-9]*`) or beyond +-(2^53-1)
-- optional(text)      the same, and false for the empty text (no such guard, no such time)
-- ends_of(reset)      a short reset (less than 16 bytes) as a number; false where it is not canonical, or not above 0.
--                     Quick where windows end together.
-- any(text)           true: whatever it says, it is judged elsewhere
-- decimal(number)     the text of an integer
-- plan(name, key, value, until_ms)
--                     a command to be run once every window has been judged; a value that is none, and until_ms (text:
--                     when it expires), are left out; a table is several values
-- counted, counts, by, count_with
--                     the usual counts, planned without a call: `count_with` (INCRBY or DECRBY) of counts[i] by by[i],
--                     for i up to counted
-- put(key, value, until_ms)
--                     plans to store a value until then (nil or false: forever), to the millisecond
-- remove(key, expiry) plans to remove both (nil: there is no second one), all such keys with one DEL
-- forbidden(name, key...)
--                     nil, or the error reply where this user may not run that. Redis >= 7; older servers cannot say.
-- plan_forbidden()    the same of everything that is planned beside removals: asked before the first write, because an
--                     error later would leave half the work done
-- carry_out()         runs what is planned; an error reply, and nothing done, where the one DEL that comes first is
--                     refused
-- stored_fault(key, value)
--                     why the value that MGET gave (false: none) is not half of a window; nil: it is one, or absent
-- expires_at(key)     when the key expires, in milliseconds of the server's clock; false: never. Whatever is later than
--                     the last exact one (in the year 287396) is taken for that one.
-- expires_ms(key)     the same as text
-- not_that_window(used, reset, if_reset, at)
--                     why the halves are not the window that ends at if_reset, open at `at`; nil when they are.
--                     Where that is `0` none was seen, and nothing is that one: absent
-- server_ms           the server's clock; the frame (operation.lua) reads it

local call, find, check = redis.call, string.find, redis.acl_check_cmd
local kMaxExact = 9007199254740991
local kMaxValue = 65536
local kIsSeven = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000
local kExpiryOf = kIsSeven and 'PEXPIRETIME' or 'PTTL'

local server_ms
local planned, names, keys, values, untils = 0, {}, {}, {}, {}
local doomed, removed = 0, {}
local counted, counts, by, count_with = 0, {}, {}, nil

local function integer(text)
    if #text > 17 or not (find(text, '^%-?[1-9]%d*$') or text == '0') then return nil end
    local number = text + 0
    if number > kMaxExact or number < -kMaxExact then return nil end
    return number
end

local last_reset, last_ends

local function ends_of(reset)
    if reset ~= last_reset then
        last_reset, last_ends = reset, find(reset, '^[1-9]%d*$') and reset + 0
    end
    return last_ends
end

local function optional(text) return text ~= '' and integer(text) end

local function any() return true end

local function decimal(number) return string.format('%d', number) end

local function plan(name, key, value, until_ms)
    planned = planned + 1
    names[planned], keys[planned], values[planned] = name, key, value or false
    if until_ms then untils[planned] = until_ms end
end

local function put(key, value, until_ms)
    if not until_ms then return plan('SET', key, value) end
    if kIsSeven then return plan('SET', key, value, until_ms) end
    plan('SET', key, value)
    plan('PEXPIREAT', key, until_ms)
end

local function remove(key, expiry)
    removed[doomed + 1], removed[doomed + 2] = key, expiry
    doomed = doomed + (expiry and 2 or 1)
end

local function no_permission(name)
    return redis.error_reply("NOPERM this user has no permissions to run the '" .. string.lower(name) .. "' command")
end

local function unknown_command(name)
    return redis.error_reply("ERR unknown command '" .. string.lower(name) .. "', which the script needs")
end

local function forbidden(...)
    if not check then return nil end
    local exists, allowed = pcall(check, ...)
    if not exists then return unknown_command((...)) end
    return not allowed and no_permission((...)) or nil
end

local function plan_forbidden()
    if not check then return nil end
    local name
    local exists, allowed = pcall(function()
        name = count_with
        for i = 1, counted do
            if not check(name, counts[i]) then return false end
        end
        for i = 1, planned do
            name = names[i]
            if not check(name, keys[i]) then return false end
        end
        return true
    end)
    if not exists then return unknown_command(name) end
    return not allowed and no_permission(name) or nil
end

local function carry_out()
    local removal = doomed > 0 and redis.pcall('DEL', unpack(removed))
    if type(removal) == 'table' and removal.err then return forbidden('DEL', unpack(removed)) or removal end
    for i = 1, counted do call(count_with, counts[i], by[i]) end
    for i = 1, planned do
        local value, until_ms = values[i], untils[i]
        if until_ms then
            call(names[i], keys[i], value, 'PXAT', until_ms)
        elseif type(value) == 'table' then
            call(names[i], keys[i], unpack(value))
        elseif value then
            call(names[i], keys[i], value)
        else
            call(names[i], keys[i])
        end
    end
end

local function stored_fault(key, value)
    if value then return #value > kMaxValue and 'too-large' or nil end
    return call('TYPE', key).ok ~= 'none' and 'wrong-type' or nil
end

local function expires_at(key)
    local at = call(kExpiryOf, key)
    if at < 0 then return false end
    if not kIsSeven then at = server_ms + at end
    return at < kMaxExact and at or kMaxExact
end

local function expires_ms(key)
    local at = expires_at(key)
    return at and decimal(at)
end

local function not_that_window(used, reset, if_reset, at)
    if if_reset == '0' then return 'absent' end
    if not used and not reset then return 'no-window' end
    if reset ~= if_reset then return reset and not integer(reset) and 'not-an-integer' or 'window-changed' end
    return integer(reset) < at and 'closed' or nil
end
