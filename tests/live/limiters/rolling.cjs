// The driver of rolling-rate-limiter; see driver.cjs.
'use strict'

const { IORedisRateLimiter } = require('rolling-rate-limiter')
const { lastOf, eachPolicy, redis, serve } = require('./driver.cjs')

const limiters = eachPolicy(({ name, limit, seconds }) =>
  new IORedisRateLimiter({ client: redis, namespace: `rolling:${name}:`, interval: seconds * 1000, maxInInterval: limit }))

// What it tells of a request that would come includes that one.
serve(async (verb, client, policy, cost) => {
  const limiter = limiters[policy]
  if (verb === 'peek') return { limited: await limiter.wouldLimit(client) }
  const { blocked, actionsRemaining } = await lastOf(cost, () => limiter.limitWithInfo(client))
  return { remaining: actionsRemaining, limited: blocked }
})
