// The driver of ratelimiter, which koa-ratelimit is built on; see driver.cjs. It can only count, not look.
'use strict'

const Limiter = require('ratelimiter')
const { lastOf, eachPolicy, redis, serve } = require('./driver.cjs')

const policies = eachPolicy((policy) => policy)

const request = (client, { name, limit, seconds }) => new Promise((resolve, reject) =>
  new Limiter({ id: `${name}:${client}`, db: redis, max: limit, duration: seconds * 1000 })
    .get((error, answer) => error ? reject(error) : resolve(answer)))

// It tells what remained before the request.
serve(async (verb, client, policy, cost) => {
  if (verb === 'peek') return {}
  const { remaining } = await lastOf(cost, () => request(client, policies[policy]))
  return { remaining: Math.max(0, remaining - 1), limited: remaining === 0 }
})
