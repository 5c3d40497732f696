# rack-attack's throttles, as a middleware of rack: arguments and lines as in driver.cjs.
require "json"
require "redis"
require "rack"
require "rack/attack"
require "rack/mock"

Rack::Attack.cache.store = Rack::Attack::StoreProxy::RedisProxy.new(Redis.new(path: ARGV.shift))
periods = ARGV.to_h do |argument|
  name, limit, seconds = argument.split(":")
  Rack::Attack.throttle(name, limit: Integer(limit), period: Integer(seconds)) do |request|
    request.env["client"] if request.env["policy"] == name
  end
  [name, Integer(seconds)]
end
app = Rack::Attack.new(->(_env) { [200, {}, []] })

$stdout.sync = true
STDIN.each_line do |line|
  verb, client, policy, cost = line.split
  limited = nil
  if verb == "hit"
    cost.to_i.times do
      status, = app.call(Rack::MockRequest.env_for("/").merge("client" => client, "policy" => policy))
      limited = status == 429
    end
  end
  number = Time.now.to_i / periods.fetch(policy)
  ends = (number + 1) * periods.fetch(policy) * 1000
  used = Rack::Attack.cache.read("#{number}:#{policy}:#{client}").to_i
  puts JSON.generate(used: used, remaining: nil, limited: limited, reset: used.positive? ? [ends, ends] : nil)
end
