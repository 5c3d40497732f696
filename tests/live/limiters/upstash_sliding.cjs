// The driver of the sliding windows of @upstash/ratelimit; see upstash.cjs.
'use strict'

const { serveUpstash } = require('./upstash.cjs')

serveUpstash((Ratelimit, { limit, seconds }) => Ratelimit.slidingWindow(limit, `${seconds} s`))
