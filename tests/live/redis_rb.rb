# Sets keys (hexadecimal, one a line on standard input) through Redis::Distributed: redis_rb.rb set|window URL...
# A window is counter 7 and its expiry, written by a script that is routed by the counter's key.
require "redis"
require "redis/distributed"

WINDOW = <<~LUA
  redis.call('SET', KEYS[1], '7', 'EX', 3601)
  return redis.call('SET', KEYS[1] .. ':exp', ARGV[1], 'EX', 3601)
LUA

mode = ARGV.shift
redis = Redis::Distributed.new(ARGV)
STDIN.each_line do |line|
  key = [line.chomp].pack("H*")
  mode == "window" ? redis.eval(WINDOW, [key], [Time.now.to_i + 3600]) : redis.set(key, 1)
end
