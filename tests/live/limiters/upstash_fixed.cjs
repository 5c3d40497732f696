// The driver of the fixed windows of @upstash/ratelimit; see upstash.cjs.
'use strict'

const { serveUpstash } = require('./upstash.cjs')

serveUpstash((Ratelimit, { limit, seconds }) => Ratelimit.fixedWindow(limit, `${seconds} s`))
