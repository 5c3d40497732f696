-- How an application's own limiter counts a request: one window, no guards, no record of the operation.
-- KEYS   K, K:exp    ARGV   amount, next_reset, now
local reset = tonumber(redis.call('GET', KEYS[2]))
if not reset or reset < tonumber(ARGV[3]) then
    reset = tonumber(ARGV[2])
    redis.call('SET', KEYS[1], 0)
    redis.call('SET', KEYS[2], ARGV[2])
    redis.call('EXPIREAT', KEYS[1], reset + 1)
    redis.call('EXPIREAT', KEYS[2], reset + 1)
end
return { redis.call('INCRBY', KEYS[1], ARGV[1]), reset }
