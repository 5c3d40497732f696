-- A feature of Flipper: a hash whose fields are its gates. Those of actors and groups stand beside these, and stay
-- whatever is put, removed or put back; see opaque.lua.

local kinds = { { type = 'hash', fields = { 'boolean', 'percentage_of_actors', 'percentage_of_time' } } }

function readers.hash(key, kind) return packed_all(call('HMGET', key, unpack(kind.fields))) end

local write_hash = writers.hash

function writers.hash(key, texts, kind)
    if texts[1] or texts[2] or texts[3] then write_hash(key, texts, kind) end
end

-- A hash without a field is none.
local function remove(key) plan('HDEL', key, kinds[1].fields) end

local function further() return '' end
