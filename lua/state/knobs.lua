-- Knobs that people and governors turn beside a throttle, in a hash: how many a second, how much at once, and how long
-- its windows are; see opaque.lua.

local kinds = { { type = 'hash', fields = { 'rps', 'burst', 'window' }, sparse = true } }
