// The driver of @fastify/rate-limit; see driver.cjs. A request is answered with headers, which say no more than what remains and
// for how many seconds; the look that does not count says more.
'use strict'

const fastify = require('fastify')
const rateLimit = require('@fastify/rate-limit')
const { eachPolicy, lastOf, redis, serve } = require('./driver.cjs')

const app = fastify()
const keyGenerator = (request) => request.headers.client

eachPolicy(({ name, limit, seconds }) => app.register(async (part) => {
  const nameSpace = `fastify-rate-limit-${name}-`
  await part.register(rateLimit, { redis, nameSpace, keyGenerator, max: limit, timeWindow: seconds * 1000 })
  const look = part.createRateLimit()
  part.get(`/${name}`, async () => 'passed')
  part.get(`/${name}/look`, { config: { rateLimit: false } }, (request) => look(request, { increment: false }))
}))

const ask = (url, client) => app.inject({ url, headers: { client } })

const request = async (client, policy) => {
  const { statusCode, headers } = await ask(`/${policy}`, client)
  return {
    remaining: Number(headers['x-ratelimit-remaining']),
    limited: statusCode === 429,
    left: Number(headers['x-ratelimit-reset']) * 1000,
    rounding: 1000
  }
}

serve(async (verb, client, policy, cost) => {
  if (verb === 'hit') return lastOf(cost, () => request(client, policy))
  const { remaining, ttl } = (await ask(`/${policy}/look`, client)).json()
  return { remaining, left: ttl }
})
