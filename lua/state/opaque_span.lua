-- Windows that are a hash: when they begin and end, and how many are counted; see opaque.lua.

local kinds = { { type = 'hash', fields = { 'start', 'end', 'count' } } }
