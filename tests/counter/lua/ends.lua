-- The window's last second is the one before its key expires.
local function ends(key)
    local at = expires_at(key)
    return at and decimal(math.floor((at - 1) / 1000))
end

-- Why what is stored is not what was seen; nil: it is, or no guard asks.
local function changed(used, reset, seen)
    return seen ~= '' and packed(used) .. packed(reset) ~= seen and 'window-changed' or nil
end
