import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRoot, root } from './setup/root.mjs'

/** Index file, and the line that the relay adds to it. */
const INDEX_LINES = {
  'modules/contracts.ts': "export { relayContract as relay } from './relay/contract.ts'\n",
  'modules/services.ts': "export { relayService as relay } from './relay/service.ts'\n",
  'modules/firmwares.ts': "export { relayFirmware as relay } from './relay/firmware.ts'\n",
}
interface Cruised {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: { readonly violations: readonly { readonly from: string; readonly to: string }[] }
}

const BUILD_AND_START_MS = 120_000
/** What a program may print, in bytes: every import of the house as JSON. */
const MOST_OUTPUT = 64 * 1024 * 1024

describe('a new module type is one folder and one line in each index', { timeout: BUILD_AND_START_MS }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'slotwire relay '))
  let server: ChildProcessWithoutNullStreams | undefined
  let api: string

  beforeAll(async () => {
    copyRepository(copy)
    cpSync(inRoot('tools', 'fixtures', 'relay'), join(copy, 'modules', 'relay'), { recursive: true })
    for (const [file, line] of Object.entries(INDEX_LINES)) appendFileSync(join(copy, file), line)
    const compiled = run('typescript/bin/tsc', '-b', 'modules')
    if (compiled.status !== 0) throw new Error(compiled.stdout)
    cpSync(inRoot('tools', 'fixtures', 'serve-relay.mjs'), join(copy, 'serve-relay.mjs'))
    server = spawn(process.execPath, ['serve-relay.mjs'], { cwd: copy })
    server.stderr.pipe(process.stderr)
    const ended = once(server, 'exit').then(([code]) => {
      throw new Error(`the server ended with code ${code}`)
    })
    const [port] = (await Promise.race([once(server.stdout.setEncoding('utf8'), 'data'), ended])) as [string]
    api = `http://127.0.0.1:${Number(port)}/api/relay`
  }, BUILD_AND_START_MS)

  afterAll(async () => {
    if (server?.kill()) await once(server, 'exit')
    rmSync(copy, { recursive: true })
  })

  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [inRoot('node_modules', program), ...args], {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: MOST_OUTPUT,
    })
  const get = async (path: string) => (await fetch(`${api}${path}`)).json()
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }

  it('GET / lists it in its slot', async () => {
    expect(await get('/')).toMatchObject({ version: { api: { major: 1, minor: 0, patch: 0 } }, devices: [{ slot_number: 2 }] })
  })

  it('GET descriptor tells who it is', async () => {
    expect(await get('/1.0/2/descriptor')).toMatchObject({
      vendor_product_id: 'slotwire.test/relay',
      product_name: 'Virtual relay',
    })
  })

  it('POST state closes the contact, GET state shows it, and how often it switched', async () => {
    expect(await get('/1.0/2/state')).toEqual({ closed: false, switched: 0 })
    for (const closed of [true, true, false, true]) {
      expect(await post('/1.0/2/state', { closed })).toEqual({ status: 200, body: { status: 'success' } })
    }
    expect(await get('/1.0/2/state')).toEqual({ closed: true, switched: 3 })
  })

  it('POST reset opens it', async () => {
    expect(await post('/1.0/2/reset', { reset: 'yes' })).toMatchObject({ status: 200 })
    expect(await get('/1.0/2/state')).toEqual({ closed: false, switched: 4 })
  })

  it('refuses what does not fit, in the words of its contract', async () => {
    const refused = await post('/1.0/2/state', { closed: 'yes' })
    expect(refused).toMatchObject({ status: 422, body: { status: 'error', code: 422 } })
    expect((refused.body as { message: string }).message).toContain('closed')
  })

  it('stands in the API document', async () => {
    const document = (await (await fetch(new URL('/slotwire/openapi.json', api))).json()) as { paths: object }
    expect(Object.keys(document.paths).filter((path) => path.includes('/relay/'))).toContain('/api/relay/1.0/{slot}/state')
  })

  it('keeps to the arrows', () => {
    const cruise = [
      '--config',
      inRoot('tools', 'guards', 'dependency-cruiser.cjs'),
      '--output-type',
      'json',
      'packages',
      'modules',
    ]
    const { modules, summary } = JSON.parse(
      run('../tools/guards/node_modules/dependency-cruiser/bin/dependency-cruise.mjs', ...cruise).stdout,
    ) as Cruised
    expect(modules.filter(({ source }) => source.startsWith('modules/relay/'))).toHaveLength(5)
    expect(summary.violations.filter(({ from, to }) => `${from} ${to}`.includes('modules/relay/'))).toEqual([])
  })
})

/** The engine and the modules as they are here, built or not; foreign packages are linked, the workspace's own are the copy's. */
function copyRepository(copy: string): void {
  for (const file of ['package.json', 'tsconfig.base.json']) cpSync(inRoot(file), join(copy, file))
  const isWanted = (path: string) => !/\.(test|testkit)\.ts$/.test(path) && !path.split(sep).includes('node_modules')
  for (const folder of ['packages', 'modules']) {
    cpSync(inRoot(folder), join(copy, folder), {
      recursive: true,
      preserveTimestamps: true,
      filter: (from) => isWanted(relative(root, from)),
    })
  }
  const own = join(copy, 'node_modules', '@slotwire')
  mkdirSync(own, { recursive: true })
  for (const name of readdirSync(inRoot('node_modules'))) {
    if (name !== '@slotwire' && !name.startsWith('.')) symlinkSync(inRoot('node_modules', name), join(copy, 'node_modules', name))
  }
  for (const name of readdirSync(join(copy, 'packages'))) symlinkSync(join(copy, 'packages', name), join(own, name))
  symlinkSync(join(copy, 'modules'), join(own, 'modules'))
}
