-- Windows that are one counter with a TTL: when they end, and whether they are those that were seen. The build puts it
-- behind operation.lua.
--
-- ends(key)                   the second at which the window of this key ends: the one before the key expires, as text;
--                             false: nothing says
-- changed(used, reset, seen)  `window-changed` where what is stored is not what was seen (packed); nil: it is, or no
--                             guard asks

local function ends(key)
    local at = expires_at(key)
    return at and decimal(math.floor((at - 1) / 1000))
end

local function changed(used, reset, seen)
    return seen ~= '' and packed(used) .. packed(reset) ~= seen and 'window-changed' or nil
end
