-- Puts back. Columns: used, expires_ms, merge.
local function put_back(key, _, newer, reset)
    local used, expires = asked[1], numbers[2] and asked[2]
    if expires and numbers[2] <= server_ms then return 'closed' end
    if newer and asked[3] ~= '1' then return 'window-there' end
    if newer then
        if not (integer(used) and integer(newer)) then return 'not-an-integer' end
        used = decimal(integer(used) + integer(newer))
    end
    put(key, used, expires)
    return 'applied', used, expires and decimal(math.floor((numbers[2] - 1) / 1000)) or reset
end

return run({ kind = 'restore', columns = { any, optional, any }, judge = put_back, ends = ends, reads = kExpiryOf })
