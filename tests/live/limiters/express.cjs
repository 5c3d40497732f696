// The driver of rate-limit-redis with express-rate-limit and express; see driver.cjs.
'use strict'

const express = require('express')
const { rateLimit } = require('express-rate-limit')
const inject = require('light-my-request')
const { RedisStore } = require('rate-limit-redis')
const { eachPolicy, lastOf, redis, serve } = require('./driver.cjs')

const app = express()
const tell = (request, response) => response.json(request.rateLimit)
const stores = eachPolicy(({ name, limit, seconds }) => {
  const store = new RedisStore({ prefix: `rl:${name}:`, sendCommand: (...words) => redis.call(...words) })
  const refuse = (request, response) => tell(request, response.status(429))
  const keyGenerator = (request) => request.get('client')
  app.get(`/${name}`, rateLimit({ windowMs: seconds * 1000, limit, store, keyGenerator, handler: refuse }), tell)
  return store
})

const endOf = (resetTime) => new Date(resetTime).getTime()

const request = async (client, policy) => {
  const response = await inject(app, { url: `/${policy}`, headers: { client } })
  const { used, remaining, resetTime } = response.json()
  return { used, remaining, limited: response.statusCode === 429, end: endOf(resetTime) }
}

serve(async (verb, client, policy, cost) => {
  if (verb === 'hit') return lastOf(cost, () => request(client, policy))
  if (verb === 'back') await stores[policy].decrement(client)
  const { totalHits, resetTime } = await stores[policy].get(client)
  return { used: totalHits || 0, end: endOf(resetTime) }
})
