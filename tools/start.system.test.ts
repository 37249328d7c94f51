import { once } from 'node:events'
import { cpSync, existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { House, outcome, program } from './house.testkit.ts'
import { isTooOld } from './setup/require-node.mjs'

const MAIN = 'apps/cli/src/main.ts'
const MAIN_BUILT = 'apps/cli/dist/main.js'
const BUILD_RECORD = 'apps/cli/dist/tsconfig.tsbuildinfo'
const INSTALL_RECORD = 'node_modules/.package-lock.json'
const TESTER = 'node_modules/tester'

describe('npm start', { timeout: 60_000 }, () => {
  let house: House
  const npmStart = (...options: readonly string[]) => outcome(house.npm('start', '-s', '--', ...options))
  /** What it says on stderr. */
  const progress = async () => (await house.start()).stderr
  /** What the started program says. */
  const served = async () => (await house.start()).stdout

  beforeAll(() => {
    house = new House()
  })
  afterAll(() => {
    house.remove()
  })

  it('installs and builds in a fresh clone, and says so', async () => {
    const { stderr } = await outcome(house.npm('start'))
    expect(withoutNpm(stderr)).toBe('Installing…\nBuilding…\n')
  })

  it('does neither a second time', async () => {
    const built = () => statSync(house.path(MAIN_BUILT)).mtimeMs
    const before = built()
    expect(await house.start()).toMatchObject({ code: 0, stdout: 'one serve\n', stderr: '' })
    expect(built()).toBe(before)
  })

  it('passes options on, and says nothing else under -s even while it installs and builds', async () => {
    for (const made of ['node_modules', 'apps/cli/dist']) rmSync(house.path(made), { recursive: true })
    const { code, stdout, stderr } = await npmStart('--port', '0')
    expect({ code, stdout, stderr: withoutNpm(stderr) }).toEqual({ code: 0, stdout: 'one serve --port 0\n', stderr: '' })
  })

  it('builds again when a source has changed', async () => {
    house.write(MAIN, program('six'))
    expect(await served()).toBe('six serve\n')
  })

  it('builds again when the output was deleted, or a build was interrupted', async () => {
    rmSync(house.path('apps/cli/dist'), { recursive: true })
    expect(await served()).toBe('six serve\n')
    rmSync(house.path(BUILD_RECORD))
    writeFileSync(house.path(MAIN_BUILT), 'half a progr')
    expect(await served()).toBe('six serve\n')
    truncateSync(house.path(BUILD_RECORD), 100)
    writeFileSync(house.path(MAIN_BUILT), 'half a progr')
    expect(await served()).toBe('six serve\n')
  })

  it('builds nothing when the whole folder was copied with its dates', async () => {
    const copy = new House()
    cpSync(house.folder, copy.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    const built = () => statSync(copy.path(MAIN_BUILT)).mtimeMs
    const before = built()
    expect(await copy.start()).toMatchObject({ code: 0, stdout: 'six serve\n', stderr: '' })
    expect(built()).toBe(before)
    copy.remove()
  })

  it('shows what the compiler says, each time and also under -s, and fails', async () => {
    house.write(MAIN, `${program('one')}const number: number = 'text'\n`)
    for (const start of [npmStart, () => house.start()]) {
      const { code, stdout, stderr } = await start()
      expect(code).not.toBe(0)
      expect(stdout).toBe('')
      expect(stderr).toContain('main.ts(4,7): error TS2322')
    }
    house.write(MAIN, program('one'))
    expect(await served()).toBe('one serve\n')
  })

  it('installs again when the lock file has changed, it was interrupted, or another npm command changed what is installed', async () => {
    house.writeManifest('1.0.1')
    expect(await progress()).toBe('Installing…\n')
    rmSync(house.path(INSTALL_RECORD))
    expect(await progress()).toBe('Installing…\n')
    expect(existsSync(house.path(TESTER))).toBe(false)
    await outcome(house.npm('uninstall', '--no-save', '--offline', 'typescript'))
    expect(existsSync(house.path('node_modules/typescript'))).toBe(false)
    expect(await progress()).toBe('Installing…\n')
    expect(await progress()).toBe('')
  })

  it('installs and builds nothing after an npm ci', async () => {
    await outcome(house.npm('ci', '--offline'))
    expect(existsSync(house.path(TESTER))).toBe(true)
    expect(await house.start()).toMatchObject({ code: 0, stdout: 'one serve\n', stderr: '' })
  })

  it('keeps what tests need installed when it installs again', async () => {
    house.writeManifest('1.0.2')
    expect(await progress()).toBe('Installing…\n')
    expect(existsSync(house.path(TESTER))).toBe(true)
  })

  it('installs and builds nothing after an npm install of a package from elsewhere', async () => {
    house.write('elsewhere/package.json', '{}')
    expect(await outcome(house.npm('install', '--offline', '--prefix', 'elsewhere', './apps/cli'))).toMatchObject({ code: 0 })
    expect(existsSync(house.path('elsewhere/node_modules/cli/dist/main.js'))).toBe(true)
    expect(await house.start()).toMatchObject({ code: 0, stdout: 'one serve\n', stderr: '' })
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
    rmSync(house.path('apps/cli/dist'), { recursive: true })
    const npm = house.npm('start')
    const ended = outcome(npm)
    npm.stderr.on('data', (text: string) => {
      if (text.includes('Building…')) npm.kill('SIGTERM')
    })
    const { code, signal, stdout } = await ended
    expect(signal ?? code).not.toBe(0)
    expect(stdout).not.toContain('ten')
    expect(await house.start()).toMatchObject({ code: 0, stdout: 'ten serve\n' })
  })

  it('says that Node.js is too old, and does nothing', async () => {
    const version = "Object.defineProperty(process.versions, 'node', { value: '20.18.3' })"
    const end = await house.start(`--import=data:text/javascript,${encodeURIComponent(version)}`)
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: 'Slotwire needs Node.js 20.19 or later; this is 20.18.3.\n' })
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
