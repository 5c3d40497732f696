// What the drivers of npm's limiters share. Arguments: the server's socket, then a policy each: NAME:LIMIT:SECONDS:UNITS/UNIT.
// Lines in: VERB CLIENT POLICY COST, where the verb is `hit`, `peek` (which does not count) or what else the limiter does to
// counters: `back` (what was counted), `block` (the client), `forget` (the count, but not the window). Lines out: JSON of what it
// then says, null where it says nothing: used, remaining, limited, and reset: when the window ends, at the earliest and at the
// latest, in milliseconds since the epoch.
'use strict'

const readline = require('node:readline')
const { Redis } = require('ioredis')

const [socket, ...texts] = process.argv.slice(2)
const names = texts.map((text) => text.split(':')[0])

/** By name: what `make` makes of each policy. */
exports.eachPolicy = (make) => Object.fromEntries(texts.map((text, i) => {
  const [, limit, seconds] = text.split(':')
  return [names[i], make({ name: names[i], limit: Number(limit), seconds: Number(seconds) })]
}))

exports.redis = new Redis(socket)

/** When the window ends, at the earliest and at the latest, from what is `left` of it or from its `end`; null: it does not. */
const resetOf = ({ left, end, rounding = 0 }, before, after) => {
  if (left > 0) return [before + left - rounding, after + left]
  return end > after ? [end - (after - before), end] : null
}

/**
 * `ask(verb, client, policy, cost)` -> { used, remaining, limited } and, in milliseconds, `left` and by how much that may be
 * rounded up, or the `end`, as the library told it by its clock and what was left.
 */
exports.serve = async (ask) => {
  const answers = []
  const linesOf = new Map()
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [verb, client, policy, cost] = line.split(' ')
    const number = answers.push('') - 1
    const answer = async () => {
      const before = Date.now()
      const said = await ask(verb, client, policy, Number(cost))
      const { used = null, remaining = null, limited = null } = said
      answers[number] = JSON.stringify({ used, remaining, limited, reset: resetOf(said, before, Date.now()) })
    }
    linesOf.set(client, [...linesOf.get(client) ?? [], answer])
  }
  // Several clients at once, as in an application; the requests of each in their order.
  const clients = linesOf.values()
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (const lines of clients) for (const answer of lines) await answer()
  }))
  process.stdout.write(answers.map((answer) => `${answer}\n`).join(''), () => process.exit(0))
}

/** For limiters whose every request costs 1: the answer to the last of `cost` requests. */
exports.lastOf = async (cost, request) => {
  for (let i = 1; i < cost; ++i) await request()
  return request()
}
