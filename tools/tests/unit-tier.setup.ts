import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'

fc.configureGlobal({ seed: 3, numRuns: 25 })
const refuse = (): never => {
  throw new Error('UNITTIER no process')
}
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
  Object.assign(childProcess, { [name]: refuse })
Object.assign(dgram, { createSocket: refuse })
syncBuiltinESMExports()
