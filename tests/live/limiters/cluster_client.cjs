// An application on a Redis Cluster, by ioredis' cluster client; arguments and lines are those of ../cluster_client.py.
'use strict'

const fs = require('node:fs')
const readline = require('node:readline')
const { Cluster } = require('ioredis')

const [node, rate, check] = process.argv.slice(2)
const [host, port] = node.split(':')
const scripts = { rate: fs.readFileSync(rate, 'utf8'), check: fs.readFileSync(check, 'utf8') }
// A second is what it gives a busy machine otherwise.
const patience = 60000
const cluster = new Cluster([{ host, port: Number(port) }], {
  slotsRefreshTimeout: patience,
  redisOptions: { connectTimeout: patience }
})

const main = async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [verb, hex, ...numbers] = line.split(' ')
    const key = Buffer.from(hex, 'hex')
    const answer = await cluster.eval(scripts[verb], 2, key, Buffer.concat([key, Buffer.from(':exp')]), ...numbers)
    console.log(JSON.stringify((answer ?? []).map(Number)))
  }
  await cluster.quit()
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
