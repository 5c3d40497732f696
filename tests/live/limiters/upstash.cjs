// What the drivers of @upstash/ratelimit share: its limiters over a server without Upstash's REST in front of it; see driver.cjs.
'use strict'

const { Ratelimit } = require('@upstash/ratelimit')
const { eachPolicy, redis, serve } = require('./driver.cjs')

// Its scripts begin with a flag of Upstash's servers alone.
const scripted = {
  evalsha: async () => { throw new Error('NOSCRIPT') },
  eval: (script, keys, args) => redis.eval(script.replace(/^#![^\n]*\n/, ''), keys.length, ...keys, ...args)
}

/** `make` makes what @upstash/ratelimit calls a limiter of each policy. */
exports.serveUpstash = (make) => {
  const limiters = eachPolicy((policy) => new Ratelimit({
    redis: scripted,
    limiter: make(Ratelimit, policy),
    prefix: `@upstash/ratelimit:${policy.name}`,
    ephemeralCache: false
  }))
  serve(async (verb, client, policy, cost) => {
    const limiter = limiters[policy]
    if (verb === 'peek') return { remaining: (await limiter.getRemaining(client)).remaining }
    const { success, remaining, reset } = await limiter.limit(client, { rate: cost })
    return { remaining, limited: !success, end: reset }
  })
}
