import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const ROOT = join(import.meta.dirname, '../..')
/** As a URL: a space in it is %20. */
const BUILT = new URL('../../apps/cli/dist/', import.meta.url).href

// Each test starts programs, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
let run: SlotwireProcess | undefined
beforeEach(() => (folder = temporaryFolder()))

/** Simulates a kernel driver of this version, without modules. */
function loadKernelDriver(version: string): void {
  for (const made of ['class/sdbp', 'module/sdbpk']) mkdirSync(join(folder, 'sys', made), { recursive: true })
  writeFileSync(join(folder, 'sys', 'module', 'sdbpk', 'version'), version)
}

function serve(options: readonly string[], environment: NodeJS.ProcessEnv = {}): SlotwireProcess {
  const state = ['--port', '0', '--state', join(folder, 'state'), '--log-level', 'warn']
  run = new SlotwireProcess(['serve', ...state, ...options], { environment })
  return run
}

const roots = (): readonly string[] => ['--sys-root', join(folder, 'sys'), '--dev-root', join(folder, 'dev')]

describe('slotwire serve --hardware kernel', () => {
  it.each<[string, string | undefined, string]>([
    ['a missing kernel driver', undefined, 'load the kernel module ("modprobe sdbpk")'],
    ['an old kernel driver', '1.0.9\n', 'kernel driver sdbpk 1.0.9 is not supported'],
    ['a kernel driver of another generation', '2.0.0\n', 'kernel driver sdbpk 2.0.0 is not supported'],
    ['a kernel driver without version', '?\n', 'kernel driver sdbpk "?\\n" is not supported'],
  ])('reports %s with the remedy in one line, and ends with code 2', async (_, version, message) => {
    if (version !== undefined) loadKernelDriver(version)
    const { code, output, errors } = await serve(['--hardware', 'kernel', ...roots()]).ended
    expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 2, output: '', lines: 2 })
    expect(errors).toContain(message)
  })

  it('reports unreadable slots in one line, and ends with code 2', async () => {
    loadKernelDriver('1.1.2\n')
    rmSync(join(folder, 'sys', 'class', 'sdbp'), { recursive: true })
    writeFileSync(join(folder, 'sys', 'class', 'sdbp'), '')
    const { code, errors } = await serve(['--hardware', 'kernel', ...roots()]).ended
    expect({ code, lines: errors.split('\n').length }).toEqual({ code: 2, lines: 2 })
    expect(errors).toContain('class/sdbp cannot be read (ENOTDIR)')
  })

  it('prints the device that it serves, and whether it has modules', async () => {
    loadKernelDriver('1.3.0\n')
    expect(await serve(roots()).firstLine()).toMatch(/^Slotwire \S+ serves this device \(kernel driver 1\.3\.0\) at http:/)
    run?.child.kill('SIGTERM')
    const { code, output, errors } = (await run?.ended) ?? {}
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toContain('no module to serve; plugged modules will be served\n')
  })

  it('serves no bench', async () => {
    loadKernelDriver('1.1.2\n')
    const { urls } = JSON.parse(await serve(['--json', ...roots()]).firstLine()) as { urls: readonly string[] }
    const answer = await fetch(`${String(urls[0])}/slotwire/bench`)
    expect([answer.status, await answer.json()]).toMatchObject([404, { message: 'Not Found' }])
  })
})

describe('the loaded code', () => {
  /** The repository's files that a process has loaded. */
  const loaded = async (...options: readonly string[]): Promise<readonly string[]> => {
    const coverage = join(folder, 'coverage')
    const process = serve(['--json', ...options], { NODE_V8_COVERAGE: coverage })
    await process.firstLine()
    process.child.kill('SIGTERM')
    expect((await process.ended).code).toBe(0)
    const texts = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), 'utf8'))
    const urls = texts.flatMap((text) =>
      (JSON.parse(text) as { result: readonly { url: string }[] }).result.map(({ url }) => url),
    )
    const own = urls.filter((url) => url.startsWith(BUILT)).map((url) => fileURLToPath(url))
    expect(own).not.toEqual([])
    // A part of the bundle is loaded whole; its map names the sources.
    return own.flatMap((path) => {
      const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[] }
      return sources.map((source) => relative(ROOT, join(path, '..', source)))
    })
  }

  it('excludes virtual devices if the device is real', async () => {
    loadKernelDriver('1.1.2\n')
    const files = await loaded(...roots())
    expect(files.filter((path) => path.startsWith('packages/driver/src/kernel/'))).not.toEqual([])
    expect(files.filter((path) => /^packages\/(twin|bench-api|scenario)\/|firmware/.test(path))).toEqual([])
  })

  it('excludes the kernel adapter if the device is virtual', async () => {
    const files = await loaded('--hardware', 'twin')
    expect(files.filter((path) => path.startsWith('packages/twin/'))).not.toEqual([])
    expect(files.filter((path) => /^packages\/driver\/src\/(kernel|power-manager)\//.test(path))).toEqual([])
  })
})
