-- What the writing scripts ask before they write, and how they say what they will write. The build puts it in front of
-- them.
--
-- integer(text)       the number, or nil for what is not canonical (`0` or `-?[1-9][0-9]*`) or beyond +-(2^53-1)
-- optional(text)      true for a canonical integer and for the empty text (no such guard, no such time)
-- decimal(number)     its text, without an exponent
-- forbidden(commands) nil, or the error reply for the first command that this user may not run: asked before the first
--                     write, because an error later would leave half the work done. Redis >= 7; older servers cannot say.
-- stored(key)         the stored string (false: none), or nil and why it is no half of a window
-- expires_ms(key)     when the key expires, absolute on the server's clock, as text; false: never. Whatever is later than
--                     the last exact millisecond (in the year 287396) is taken for that one.
-- put(writes, key, value, at_ms)
--                     plans to store a value until then (text; false: for ever), to the millisecond
-- not_that_window(used, reset, if_reset, at)
--                     why the halves are not the window that ends at if_reset, open at `at`; nil when they are
-- server_ms           the server's clock; the frame (operation.lua) reads it

local kMaxExact = 9007199254740991
local kMaxValue = 65536
local kIsSeven = redis.REDIS_VERSION_NUM ~= nil and redis.REDIS_VERSION_NUM >= 0x00070000

local server_ms

local function integer(text)
    if #text > 17 or not (text == '0' or string.find(text, '^%-?[1-9]%d*$')) then return nil end
    local number = tonumber(text)
    if number > kMaxExact or number < -kMaxExact then return nil end
    return number
end

local function optional(text) return text == '' or integer(text) ~= nil end

local function decimal(number) return string.format('%.0f', number) end

local function forbidden(commands)
    if redis.acl_check_cmd == nil then return nil end
    for _, command in ipairs(commands) do
        local name = string.lower(command[1])
        local exists, allowed = pcall(redis.acl_check_cmd, unpack(command))
        if not exists then return redis.error_reply("ERR unknown command '" .. name .. "', which the script needs") end
        if not allowed then
            return redis.error_reply("NOPERM this user has no permissions to run the '" .. name .. "' command")
        end
    end
end

local function stored(key)
    local kind = redis.call('TYPE', key).ok
    if kind == 'none' then return false end
    if kind ~= 'string' then return nil, 'wrong-type' end
    if redis.call('STRLEN', key) > kMaxValue then return nil, 'too-large' end
    return redis.call('GET', key)
end

local function expires_ms(key)
    if kIsSeven then
        local at = redis.call('PEXPIRETIME', key)
        return at >= 0 and decimal(math.min(at, kMaxExact))
    end
    local left = redis.call('PTTL', key)
    return left >= 0 and decimal(math.min(server_ms + left, kMaxExact))
end

local function put(writes, key, value, at_ms)
    if at_ms and kIsSeven then
        writes[#writes + 1] = { 'SET', key, value, 'PXAT', at_ms }
        return
    end
    writes[#writes + 1] = { 'SET', key, value }
    if at_ms then writes[#writes + 1] = { 'PEXPIREAT', key, at_ms } end
end

local function not_that_window(used, reset, if_reset, at)
    if not used and not reset then return 'no-window' end
    if reset ~= if_reset then return reset and not integer(reset) and 'not-an-integer' or 'window-changed' end
    return integer(reset) < at and 'closed' or nil
end
