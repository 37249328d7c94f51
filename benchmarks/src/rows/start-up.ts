import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectTo } from '../lean-client.ts'
import { outputOf, runNode, temporaryFolder } from '../program.ts'
import type { Row } from '../row.ts'
import { ROOT, startSlotwire } from '../server.ts'
import { compare, difference, inTurn } from '../statistics.ts'
import { CACHED } from './requests.ts'

/** Time from the start of a process to the first reading of a pin. */
export const startUp: Row = {
  name: 'start-up',
  what: 'the npm package, installed',
  against: '`node -e 0`',
  targets: [
    { of: '`slotwire serve` to the first answered `GET input/values`', at: 'most', gate: 200, unit: 'ms' },
    { of: '`slotwire get 5/1`', at: 'most', gate: 250, unit: 'ms' },
  ],
  measure: async ({ effort, clock }) => {
    const folder = temporaryFolder()
    const tarball = (await runNode(join(ROOT, 'tools/pack.mjs'), folder)).trim()
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    await outputOf('npm', 'install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', tarball)
    const program = join(folder, 'node_modules/slotwire/bin/slotwire.js')
    const timeOf = (work: () => Promise<unknown>) => async () => {
      const started = clock.now()
      await work()
      return { ms: clock.now() - started }
    }
    const serve = async () => {
      const started = clock.now()
      const { url, stop } = await startSlotwire([], program)
      const client = await connectTo(url)
      await client.ask(CACHED)
      const ms = clock.now() - started
      client.close()
      await stop()
      return { ms }
    }
    const { url } = await startSlotwire([], program)
    const get = timeOf(() => runNode(program, 'get', '5/1', '--url', url))
    const nothing = timeOf(() => runNode('-e', '0'))
    const count = 3 * effort.starts
    const rounds = [await inTurn(count, serve, nothing), await inTurn(count, get, nothing)]
    return rounds.map((each) => compare(each, 'ms', 'ms', difference))
  },
}
