-- The look that an application's own limiter takes before it answers: used and reset of the open window, or nothing.
-- KEYS   K, K:exp    ARGV   now
local reset = tonumber(redis.call('GET', KEYS[2]))
if not reset or reset < tonumber(ARGV[1]) then return nil end
return { redis.call('GET', KEYS[1]), reset }
