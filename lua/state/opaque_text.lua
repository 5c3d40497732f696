-- Windows that are one string; see opaque.lua.

local kinds = { { type = 'string' } }
