-- Several texts in one: `<length>:<bytes>` each, `-` for none. So answers travel and are kept in operation keys, and so
-- both halves of a window travel as one argument. The build puts it in front of the writing scripts.
--
-- lengths[n]       the `<length>:` of a text
-- packed(text)     one text (false: none)
-- texts_of(bytes)  the texts again; nil when it is not that

local lengths = setmetatable({}, {
    __index = function(known, length)
        local text = length .. ':'
        known[length] = text
        return text
    end,
})

local function packed(text) return text and lengths[#text] .. text or '-' end

local function texts_of(bytes)
    local texts, at = {}, 1
    while at <= #bytes do
        if string.sub(bytes, at, at) == '-' then
            texts[#texts + 1] = false
            at = at + 1
        else
            local _, colon, digits = string.find(bytes, '^(%d+):', at)
            local length = colon and #digits <= 10 and tonumber(digits)
            if not length or colon + length > #bytes then return nil end
            texts[#texts + 1] = string.sub(bytes, colon + 1, colon + length)
            at = colon + length + 1
        end
    end
    return texts
end
