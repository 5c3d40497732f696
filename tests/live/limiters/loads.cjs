// Loads a package of npm's, or says why it cannot: loads.cjs PATH
'use strict'

try {
  if (parseInt(process.versions.node) < 20) throw new Error('Node.js 20 is needed')
  require(process.argv[2])
} catch (error) {
  console.error(error.message.split('\n')[0])
  process.exit(1)
}
