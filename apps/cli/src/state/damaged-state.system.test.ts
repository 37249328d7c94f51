import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { AS_A_SERVICE } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Their damage ends the start with a remedy: without them clients would see another device. */
const ENDS_START = /^(machine-id|tls\/authority\.key)$/
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  empty: (path) => writeFileSync(path, ''),
  cut: (path) => truncateSync(path, statSync(path).size >> 1),
  'full of zeros': (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  'other bytes': (path) => writeFileSync(path, Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 167 + 129) % 256))),
  folders: (path) => {
    if (/\/(boot|tls\/.*)$/.test(path)) return
    rmSync(path)
    mkdirSync(path)
  },
  'larger than the disk': replacedBy(large),
  'not readable': (path) => {
    if (!path.endsWith('authority.pem')) chmodSync(path, 0)
  },
}
const REMEDIES = [
  ['a pipe', pipe, 'is not a file: move away what has its place'],
  ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere/at/all', path), 'is a link that leads nowhere: '],
  ['a file that is too large', large, 'is too large, 3000000000 bytes: at most 8388608; move the file away'],
] as const

function pipe(path: string): void {
  execFileSync('mkfifo', [path])
}

function large(path: string): void {
  writeFileSync(path, '')
  truncateSync(path, 3e9)
}

/** Not in place of the authority: a start ends. */
function replacedBy(create: (path: string) => void) {
  return (path: string): void => {
    if (path.endsWith('authority.pem')) return
    rmSync(path)
    create(path)
  }
}

const BAD_TOKENS = 'tokens: tokens.json cannot be read: requests with a token get 503'
const BAD_SETTINGS = 'settings: settings.yaml is broken: earlier settings are in force'

const folder = temporaryFolder()
let known: readonly string[]
const runs: SlotwireProcess[] = []
afterAll(async () => {
  for (const run of runs) await run.remove()
})

async function start(state: string) {
  const network = ['--listen', '127.0.0.1', '--https-port', '0', '--log-level', 'warn']
  const run = new SlotwireProcess(['serve', '--json', '--port', '0', '--state', state, ...network], { startedBy: AS_A_SERVICE })
  runs.push(run)
  const { urls } = JSON.parse(await run.firstLine()) as Announcement
  const readyz = async () =>
    ((await (await fetch(`${urls[0]}/slotwire/readyz`)).json()) as { warnings?: string[] }).warnings ?? []
  const stop = async () => {
    run.child.kill('SIGTERM')
    await run.ended
  }
  return { run, readyz, stop, url: urls[0] }
}

beforeAll(async () => {
  const state = join(folder, 'good')
  mkdirSync(state)
  writeFileSync(join(state, 'settings.yaml'), 'vendor: Acme\n')
  const { url, stop } = await start(state)
  const headers = { 'content-type': 'application/json' }
  const saving = { method: 'POST', headers, body: '{"timeout":12345}' }
  expect((await fetch(`${url}/api/bmc/1.0/0/watchdog/sw_shutdown_timeout`, saving)).status).toBe(200)
  await stop()
  const create = new SlotwireProcess(['token', 'create', '--name', 'x', '--state', state])
  expect((await create.ended).code).toBe(0)
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  known = files.map(({ parentPath, name }) => join(parentPath, name).slice(state.length + 1))
})

/** A copy of the good state, with damage to all files but `settings.last-good.yaml` and those that end a start. */
function damaged(name: string, damage: (path: string) => void): string {
  const state = join(folder, name.replaceAll(' ', '-'))
  cpSync(join(folder, 'good'), state, { recursive: true })
  for (const path of known) if (!ENDS_START.test(path) && !path.includes('last-good')) damage(join(state, path))
  return state
}

it.each(Object.entries(DAMAGES))(
  'a device starts if all files that it can do without are %s, and says so',
  async (name, damage) => {
    expect(known).toEqual(
      expect.arrayContaining('boot settings.yaml tokens.json history/events.jsonl tls/authority.pem twin/slot-0.json'.split(' ')),
    )
    const { run, readyz, stop } = await start(damaged(name, damage))
    // An empty file has the default settings.
    expect(await readyz()).toEqual(expect.arrayContaining(name === 'empty' ? [BAD_TOKENS] : [BAD_SETTINGS, BAD_TOKENS]))
    expect(run.errors).toMatch(/the memory of the bmc (is corrupt: emergency mode|cannot be read)/)
    expect(run.errors).toContain('the tokens cannot be read: requests with a token get 503')
    await stop()
  },
)

it('a device starts if tokens and history are links that lead nowhere, and says so', async () => {
  const state = damaged('links', () => undefined)
  for (const path of ['tokens.json', 'history/events.jsonl']) {
    rmSync(join(state, path))
    symlinkSync('/nowhere/at/all', join(state, path))
  }
  const { readyz, stop } = await start(state)
  await expect.poll(async () => (await readyz()).join('\n')).toMatch(/history: .*ELOOP/)
  expect(await readyz()).toContain(BAD_TOKENS)
  await stop()
})

it.each(['machine-id', 'tls/authority.key', 'tls/authority.pem'])(
  'a start ends with the remedy if a pipe has the place of %s, a link that leads nowhere, or a file that is too large',
  async (file) => {
    for (const [name, create, remedy] of REMEDIES) {
      const state = damaged(`${name} as ${file.replace('/', ' ')}`, () => undefined)
      rmSync(join(state, file))
      create(join(state, file))
      await expect(start(state)).rejects.toThrow(`${file} ${remedy}`)
    }
  },
)

it.each(['boot', 'machine-id', 'tls/authority.key', 'tls/authority.pem', 'tls/server.pem'])(
  'a start ends with the remedy if a folder has the place of %s',
  async (file) => {
    const state = damaged(`a folder as ${file.replace('/', ' ')}`, () => undefined)
    rmSync(join(state, file))
    mkdirSync(join(state, file))
    await expect(start(state)).rejects.toThrow(/EISDIR.*: a folder has the place of this file: move the folder away/)
  },
)
