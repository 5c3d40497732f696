// The driver of the token buckets of @upstash/ratelimit, whose capacity is the limit; see upstash.cjs.
'use strict'

const { serveUpstash } = require('./upstash.cjs')

serveUpstash((Ratelimit, { limit, seconds }) => Ratelimit.tokenBucket(limit, `${seconds} s`, limit))
