# The counter of Redis' documentation ("Rate limiter 2") and Close's first one, which no library has: docs_pattern.rb docs|close,
# then arguments and lines as in driver.cjs.
require "json"
require "redis"

CLOSE = <<~LUA
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
  return count
LUA

mode = ARGV.shift
redis = Redis.new(path: ARGV.shift)
policies = ARGV.to_h do |argument|
  name, limit, seconds = argument.split(":")
  [name, { limit: Integer(limit), seconds: Integer(seconds) }]
end

# Looks before it counts: true where it refuses.
docs = lambda do |key, limit:, seconds:|
  current = redis.get(key)
  next true if current && current.to_i > limit
  redis.multi { |calls| calls.incr(key) }.then { |(value)| redis.expire(key, seconds) if value == 1 }
  false
end
close = ->(key, limit:, seconds:) { redis.eval(CLOSE, [key], [seconds]) > limit }
request = { "docs" => docs, "close" => close }.fetch(mode)

now = -> { Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) }
$stdout.sync = true
STDIN.each_line do |line|
  verb, client, policy, cost = line.split
  key = "#{policy}:#{client}"
  limited = nil
  cost.to_i.times { limited = request.call(key, **policies.fetch(policy)) } if verb == "hit"
  before = now.call
  left = redis.pttl(key)
  reset = left.positive? ? [before + left, now.call + left] : nil
  puts JSON.generate(used: redis.get(key).to_i, remaining: nil, limited: limited, reset: reset)
end
