// The driver of rate-limiter-flexible; see driver.cjs.
'use strict'

const { RateLimiterRedis, RateLimiterRes } = require('rate-limiter-flexible')
const { eachPolicy, redis, serve } = require('./driver.cjs')

const limiters = eachPolicy(({ name, limit, seconds }) =>
  new RateLimiterRedis({ storeClient: redis, keyPrefix: `rlflx:${name}`, points: limit, duration: seconds }))

const said = (answer, limited) =>
  ({ used: answer.consumedPoints, remaining: answer.remainingPoints, limited, left: answer.msBeforeNext })

serve(async (verb, client, policy, cost) => {
  const limiter = limiters[policy]
  if (verb === 'peek') {
    const answer = await limiter.get(client)
    return answer ? said(answer) : { used: 0, remaining: limiter.points }
  }
  if (verb === 'back') return said(await limiter.reward(client, cost))
  if (verb === 'block') return said(await limiter.block(client, 100 * cost))
  try {
    return said(await limiter.consume(client, cost), false)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    return said(refusal, true)
  }
})
