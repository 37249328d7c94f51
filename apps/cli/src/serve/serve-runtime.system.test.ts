import { expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import type { StartAnnouncement } from './announcement.ts'

const state = temporaryFolder()
let server: SlotwireProcess | undefined

/** Node.js before 20.20 has no method QUERY. 20.19.2 is the oldest supported version. */
const WITHOUT_QUERY = "import { METHODS } from 'node:http'; METHODS.splice(METHODS.indexOf('QUERY') >>> 0, 1)"

it('serves on a Node.js without the method QUERY', { timeout: 60_000 }, async () => {
  const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT_QUERY)}` }
  server = new SlotwireProcess(['serve', '--json', '--port', '0', '--state', state], { environment })
  const [url] = (JSON.parse(await server.firstLine()) as StartAnnouncement).urls
  expect((await fetch(`${url}/api/io/`)).status).toBe(200)
})
