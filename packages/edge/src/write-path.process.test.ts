import { readFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { expect, it } from 'vitest'
import { basic, LEVEL, openDoors } from './access/access.testkit.ts'
import { dial, readUntil } from './door/socket.testkit.ts'

const ROOT = new URL('../../../', import.meta.url)
const MOST_FILES = 8
/** The last of the named files, and its parts. */
const HANDLER = [
  'pipeline/recorded-change',
  'pipeline/running-requests',
  'pipeline/body',
  'pipeline/locate',
  'pipeline/delivery',
  'pipeline/departure',
  'pipeline/write-guard',
  'module-service',
].map((name) => `packages/service/src/${name}.ts`)

/** The numbered files of "A write, step by step", in order. */
function namedFiles(): readonly string[] {
  const page = readFileSync(new URL('docs/architecture.md', ROOT), 'utf8')
  const section = page.split('### A write, step by step')[1]?.split('\n#')[0] ?? ''
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file as string)
}

/** Files of edge and service with functions that ran since the last call. */
function filesThatRan(session: Session): readonly string[] {
  let result: readonly Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (_error, taken) => {
    result = taken.result
  })
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => /packages\/(?:edge|service)\/src\/[\w/-]+\.ts/.exec(url)?.[0] ?? [])
}

it('before its handler, a write runs exactly the files of edge and service that docs/architecture.md names', async () => {
  const { toy, token, network } = await openDoors()
  const body = '{"level":1}'
  const { authorization } = basic(await token('controller'))
  const head = [`POST ${LEVEL} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, 'Content-Type: application/json']
  const write = `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const session = new Session()
  session.connect()
  let ran: readonly string[] = []
  toy.slot.script = {
    SET_LEVEL: () => {
      ran = filesThatRan(session)
      return {}
    },
  }
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const socket = await dial(network)
  try {
    // The first request of a connection also checks its token and finds its path.
    for (const answers of [1, 2]) {
      const answered = readUntil(socket, '{"status":"success"}')
      filesThatRan(session)
      socket.write(write)
      expect(await answered, `answer ${answers}`).toMatch(/^HTTP\/1\.1 200 OK/)
    }
  } finally {
    socket.destroy()
    session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
  const named = namedFiles()
  expect(named.length).toBeLessThanOrEqual(MOST_FILES)
  expect(ran).toEqual(expect.arrayContaining([...named]))
  expect(ran.filter((file) => !named.includes(file) && !HANDLER.includes(file))).toEqual([])
})
