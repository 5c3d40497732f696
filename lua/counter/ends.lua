-- Windows that are one counter with a TTL: when they end, and whether they are those that were seen. The build puts it
-- behind operation.lua.
--
-- ends_by(column)             the script's `ends`: the second at which the window of a key ends, as text. What this
--                             column of the arguments says, where the key's name tells it; else the second before the
--                             key expires; false: nothing says
-- changed(used, reset, seen)  `window-changed` where what is stored is not what was seen (packed); nil: it is, or no
--                             guard asks

local function ends_by(column)
    return function(key)
        if asked[column] ~= '' then return asked[column] end
        local at = expires_at(key)
        return at and decimal(math.floor((at - 1) / 1000))
    end
end

local function changed(used, reset, seen)
    return seen ~= '' and packed(used) .. packed(reset) ~= seen and 'window-changed' or nil
end
