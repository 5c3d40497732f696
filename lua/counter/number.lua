-- Counters that are one integer: how the scripts write them. The build puts it in front of them, or calls.lua.
--
-- count_of(text)   how many a stored text counts, as text
-- add_to(key, n), take_from(key, n)
--                  counts so many more (less), and leaves the TTL as it is
-- store(key, used, until_ms, text)
--                  a counter that counts `used` (texts, all of them; until_ms: false, forever), of which `text` was
--                  stored before (nil: nothing)
-- run_counters(script)
--                  run() of operation.lua
-- Those that write return the word that says why they cannot; nil: they have planned it.

local function count_of(text) return text end

local function add_to(key, n) plan('INCRBY', key, n) end

local function take_from(key, n) plan('DECRBY', key, n) end

local function store(key, used, until_ms) put(key, used, until_ms) end

local function run_counters(script) return run(script) end
