-- What the writing scripts share; the build puts it in front of each of them.
--
-- kHead               how many arguments of the whole call stand before those of its windows
-- integer(text)       the number, or nil for what is not canonical (`0` or `-?[1-9][0-9]*`) or beyond +-(2^53-1)
-- decimal(number)     its text, without an exponent
-- forbidden(commands) nil, or the error reply for the first command that this user may not run: asked before the first write,
--                     because an error later would leave half the work done. Redis >= 7; older servers cannot say.
-- stored(key)         the stored string (false: none), or nil and why it is no half of a window

local kHead = 0
local kMaxExact = 9007199254740991
local kMaxValue = 65536

local function integer(text)
    if #text > 17 or not (text == '0' or string.find(text, '^%-?[1-9]%d*$')) then return nil end
    local number = tonumber(text)
    if number > kMaxExact or number < -kMaxExact then return nil end
    return number
end

local function decimal(number) return string.format('%.0f', number) end

local function forbidden(commands)
    if redis.acl_check_cmd == nil then return nil end
    for _, command in ipairs(commands) do
        local exists, allowed = pcall(redis.acl_check_cmd, unpack(command))
        if not exists then return redis.error_reply("ERR unknown command '" .. command[1] .. "', which the script needs") end
        if not allowed then
            return redis.error_reply("NOPERM this user has no permissions to run the '" .. command[1] .. "' command")
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
