import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { House, outcome, program } from './house.testkit.ts'
import { environment } from './setup/install.mjs'
import { isTooOld } from './setup/require-node.mjs'

const MAIN = 'apps/cli/src/main.ts'
const INSTALL_STAMP = 'node_modules/.slotwire-install.json'

describe('npm start', { timeout: 60_000 }, () => {
  let house: House
  const start = (...options: readonly string[]) => outcome(house.npm('start', '-s', '--', ...options))
  /** What is said on stderr without -s; npm's own remarks left out. */
  const progress = async () => (await outcome(house.npm('start'))).stderr.split('\n').filter((line) => line.endsWith('…'))

  beforeAll(() => {
    house = new House()
  })
  afterAll(() => {
    house.remove()
  })

  it('installs and builds in a fresh clone, and says so', async () => {
    expect(await progress()).toEqual(['Installing…', 'Building…'])
  })

  it('does neither a second time', async () => {
    expect(await progress()).toEqual([])
  })

  it('passes options on, and leaves stdout and stderr to the program under -s', async () => {
    const { code, stdout, stderr } = await start('--port', '0')
    expect({ code, stdout, stderr: withoutNpm(stderr) }).toEqual({ code: 0, stdout: 'one serve --port 0\n', stderr: '' })
  })

  it('says nothing under -s even while it installs and builds', async () => {
    for (const made of ['node_modules', 'dist', 'apps/cli/dist']) rmSync(house.path(made), { recursive: true })
    const { stdout, stderr } = await start()
    expect({ stdout, stderr: withoutNpm(stderr) }).toEqual({ stdout: 'one serve\n', stderr: '' })
  })

  it('builds again when a source has changed', async () => {
    house.write(MAIN, program('two'))
    expect((await start()).stdout).toBe('two serve\n')
  })

  it('builds again when a source was replaced by one of equal size and an older date', async () => {
    house.write(MAIN, program('six'))
    utimesSync(house.path(MAIN), 1_000_000, 1_000_000)
    expect((await start()).stdout).toBe('six serve\n')
  })

  it('builds again when the output was deleted or altered', async () => {
    rmSync(house.path('apps/cli/dist'), { recursive: true })
    expect((await start()).stdout).toBe('six serve\n')
    writeFileSync(house.path('apps/cli/dist/main.js'), 'console.log("stale")')
    expect((await start()).stdout).toBe('six serve\n')
  })

  it('removes what was compiled from a source that is gone', async () => {
    house.write('apps/cli/src/other.ts', 'export const other = 1\n')
    await start()
    expect(existsSync(house.path('apps/cli/dist/other.js'))).toBe(true)
    rmSync(house.path('apps/cli/src/other.ts'))
    await start()
    expect(existsSync(house.path('apps/cli/dist/other.js'))).toBe(false)
  })

  it('shows what the compiler says, also under -s, and fails', async () => {
    house.write(MAIN, `${program('one')}const number: number = 'text'\n`)
    const { code, stdout, stderr } = await start()
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toContain('main.ts(4,7): error TS2322')
    house.write(MAIN, program('one'))
    expect((await start()).stdout).toBe('one serve\n')
  })

  it('installs again when the lock file has changed, was interrupted, or another npm command was there', async () => {
    house.writeManifest('1.0.1')
    expect(await progress()).toContain('Installing…')
    rmSync(house.path(INSTALL_STAMP))
    expect(await progress()).toContain('Installing…')
    writeFileSync(
      house.path('node_modules/.package-lock.json'),
      `${readFileSync(house.path('node_modules/.package-lock.json'), 'utf8')}\n`,
    )
    expect(await progress()).toContain('Installing…')
    expect(await progress()).toEqual([])
  })

  it('keeps a larger installation, also when it installs again', async () => {
    const stamp = (): object => JSON.parse(readFileSync(house.path(INSTALL_STAMP), 'utf8')) as object
    writeFileSync(house.path(INSTALL_STAMP), JSON.stringify({ ...stamp(), scope: 'all' }))
    expect(await progress()).toEqual([])
    house.writeManifest('1.0.2')
    expect(await progress()).toContain('Installing…')
    expect(stamp()).toMatchObject({ scope: 'all' })
  })

  it('hands a SIGTERM to npm on to the server, and its exit code back', async () => {
    house.write(MAIN, waitsForSigterm)
    const npm = house.npm('start', '-s')
    const ended = outcome(npm)
    await once(npm.stdout, 'data')
    npm.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 7, stdout: 'waiting\nended by SIGTERM\n' })
  })

  it('ends on a SIGTERM while it builds, and starts as if nothing had been', async () => {
    house.write(MAIN, program('ten'))
    const npm = house.npm('start')
    const ended = outcome(npm)
    npm.stderr.on('data', (text: string) => {
      if (text.includes('Building…')) npm.kill('SIGTERM')
    })
    const { code, signal, stdout } = await ended
    expect(signal ?? code).not.toBe(0)
    expect(stdout).not.toContain('ten')
    expect(await start()).toMatchObject({ code: 0, stdout: 'ten serve\n' })
  })
})

describe('what it asks of the machine', () => {
  it('takes Node.js from 20.19', () => {
    expect(['18.20.4', '20.9.0', '20.18.3', '20.19.0', '22.0.0', '26.1.0'].map(isTooOld)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it('gives the inner npm the settings of the user, not those of the npm around it', () => {
    const kept = { PATH: '/bin', npm_config_registry: 'https://registry.example', npm_config_https_proxy: 'http://proxy.example' }
    const dropped = {
      npm_command: 'run',
      npm_config_local_prefix: '/a',
      npm_config_loglevel: 'silent',
      npm_lifecycle_event: 'start',
    }
    expect(environment({ ...kept, ...dropped })).toEqual(kept)
  })
})

const waitsForSigterm = `declare const process: { on(name: string, listener: () => void): void; exit(code: number): void }
declare const console: { log(text: string): void }
declare const setInterval: (callback: () => void, ms: number) => number
const timer = setInterval(() => undefined, 1000)
process.on('SIGTERM', () => {
  console.log('ended by SIGTERM')
  process.exit(7)
})
console.log('waiting')
export { timer }
`

/** Without npm's remarks on the settings of whoever runs the tests. */
function withoutNpm(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('npm '))
    .join('\n')
}
