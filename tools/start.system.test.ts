import { once } from 'node:events'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, program, TestRepository } from './repository.testkit.ts'
import { isTooOld } from './setup/require-node.mjs'

const MAIN = 'apps/cli/src/main.ts'
const MAIN_BUILT = 'apps/cli/dist/main.js'
const INSTALL_RECORD = 'node_modules/.package-lock.json'
const TESTER = 'node_modules/tester'
const INSTALLED = /^Installing packages… .* s\nBuilding… .* s\n$/
const BUILT_ONLY = /^Building… \d+\.\d s\n$/

describe('npm start', { timeout: 60_000 }, () => {
  let repository: TestRepository
  const npmStart = (...options: readonly string[]) => outcome(repository.npm('start', '-s', '--', ...options))
  /** Its output on stderr. */
  const progress = async () => (await repository.start()).stderr
  /** The output of the started program. */
  const served = async () => (await repository.start()).stdout

  beforeAll(() => (repository = new TestRepository()))
  afterAll(() => repository.remove())

  it('installs and builds in a fresh clone, and prints that', async () => {
    const { stderr } = await outcome(repository.npm('start'))
    expect(withoutNpm(stderr)).toMatch(INSTALLED)
  })

  it('installs nothing a second time, and writes no file that has not changed', async () => {
    const built = () => statSync(repository.path(MAIN_BUILT)).mtimeMs
    const before = built()
    expect(await repository.start()).toMatchObject({
      code: 0,
      stdout: 'one serve\n',
      stderr: expect.stringMatching(BUILT_ONLY) as string,
    })
    expect(built()).toBe(before)
  })

  it('passes options on, and prints nothing else with -s even during installation and build', async () => {
    for (const made of ['node_modules', 'apps/cli/dist']) rmSync(repository.path(made), { recursive: true })
    const { code, stdout, stderr } = await npmStart('--port', '0')
    expect({ code, stdout, stderr: withoutNpm(stderr) }).toEqual({ code: 0, stdout: 'one serve --port 0\n', stderr: '' })
  })

  it('builds again after a change of a source', async () => {
    repository.write(MAIN, program('six'))
    expect(await served()).toBe('six serve\n')
  })

  it('replaces a half-written output, and removes what the sources no longer have', async () => {
    writeFileSync(repository.path(MAIN_BUILT), 'half a progr')
    repository.write('apps/cli/dist/old-chunk.js', '')
    expect(await served()).toBe('six serve\n')
    expect(existsSync(repository.path('apps/cli/dist/old-chunk.js'))).toBe(false)
  })

  it('prints the faults of the sources, each time and also with -s, and fails', async () => {
    repository.write(MAIN, 'const number: number = ]\n')
    for (const start of [npmStart, () => repository.start()]) {
      const { code, stdout, stderr } = await start()
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('apps/cli/src/main.ts:1:23:')
    }
    repository.write(MAIN, program('one'))
    expect(await served()).toBe('one serve\n')
  })

  it('installs again if the lock file changed, an installation was interrupted, or another npm command changed packages', async () => {
    repository.writeManifest('1.0.1')
    expect(await progress()).toMatch(INSTALLED)
    rmSync(repository.path(INSTALL_RECORD))
    expect(await progress()).toMatch(INSTALLED)
    expect(existsSync(repository.path(TESTER))).toBe(false)
    await outcome(repository.npm('uninstall', '--no-save', '--offline', 'esbuild'))
    expect(existsSync(repository.path('node_modules/esbuild'))).toBe(false)
    expect(await progress()).toMatch(INSTALLED)
    expect(await progress()).toMatch(BUILT_ONLY)
  })

  it('installs again if the packages come from another machine, without the bundler’s program for this one', async () => {
    rmSync(repository.path('node_modules/@esbuild'), { recursive: true })
    expect(await progress()).toMatch(INSTALLED)
    expect(await progress()).toMatch(BUILT_ONLY)
  })

  it('installs nothing after npm ci', async () => {
    await outcome(repository.npm('ci', '--offline'))
    expect(existsSync(repository.path(TESTER))).toBe(true)
    expect(await repository.start()).toMatchObject({
      code: 0,
      stdout: 'one serve\n',
      stderr: expect.stringMatching(BUILT_ONLY) as string,
    })
  })

  it('keeps what tests need when it installs again', async () => {
    repository.writeManifest('1.0.2')
    expect(await progress()).toMatch(INSTALLED)
    expect(existsSync(repository.path(TESTER))).toBe(true)
  })

  it('forwards a SIGTERM from npm to the server, and returns its exit code', async () => {
    repository.write(MAIN, waitsForSigterm)
    const npm = repository.npm('start', '-s')
    const ended = outcome(npm)
    await once(npm.stdout, 'data')
    npm.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 7, stdout: 'waiting\nended by SIGTERM\n' })
  })

  it('ends on a SIGTERM during a build, and works at the next start', async () => {
    repository.write(MAIN, program('ten'))
    rmSync(repository.path('apps/cli/dist'), { recursive: true })
    const npm = repository.npm('start')
    const ended = outcome(npm)
    npm.stderr.on('data', (text: string) => {
      if (text.includes('Building…')) npm.kill('SIGTERM')
    })
    const { code, signal, stdout } = await ended
    expect(signal ?? code).not.toBe(0)
    expect(stdout).not.toContain('ten serve')
    expect(await repository.start()).toMatchObject({ code: 0, stdout: 'ten serve\n' })
  })

  it('reports that Node.js is too old, and does nothing', async () => {
    const version = "Object.defineProperty(process.versions, 'node', { value: '20.18.3' })"
    const end = await repository.start(`--import=data:text/javascript,${encodeURIComponent(version)}`)
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: 'Slotwire needs Node.js 20.19.2 or later; this is 20.18.3.\n' })
  })
})

it('isTooOld accepts Node.js from 20.19.2', () =>
  expect(['18.20.4', '20.9.0', '20.18.3', '20.19.1', '20.19.2', '22.0.0', '26.1.0'].map(isTooOld)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]))

const waitsForSigterm = `process.stdin.resume()
process.on('SIGTERM', () => {
  console.log('ended by SIGTERM')
  process.exit(7)
})
console.log('waiting')
`

/** Removes npm's warnings about the user's own settings. */
function withoutNpm(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('npm '))
    .join('\n')
}
