import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import type { ServiceStatus } from '../run/network-side.ts'

/** A small file system with a copy of a state folder and free pages; only the process sees it, and it ends with the process. */
const SMALL = `set -e
  mount -t tmpfs -o size=256k slotwire "$1"
  cp -a "$1.before/." "$1"
  head -c $(($2 * 4096)) /dev/zero > "$1/room"
  cat /dev/zero > "$1/fill" 2> /dev/null || rm "$1/room"
  [ "$3" = rw ] || mount -o remount,ro "$1"
  shift 3
  exec "$@"`
const MAKE_ROOM = 'mount -o remount,rw "$1" && rm "$1/fill"'
const NETWORK = ['--listen', '127.0.0.1', '--https-port', '0']
const REFUSED = /could not save: its storage is full or broken/

describeWith('namespaces', 'slotwire serve on a disk that cannot be written', (unshare) => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder({ prefix: 'slotwire-' })
    mkdirSync(`${folder}.before`)
  })
  afterEach(async () => {
    for (const each of [folder, `${folder}.before`]) rmSync(each, { recursive: true, force: true })
  })

  async function start(state: string, startedBy: readonly string[], ...more: readonly string[]) {
    const options = ['--json', '--port', '0', '--state', state, '--log-level', 'error', ...more]
    const run = new SlotwireProcess(['serve', ...options], { startedBy })
    const { urls } = JSON.parse(await run.firstLine()) as Announcement
    const [url = ''] = urls
    const get = async <Answer>(path: string) => (await (await fetch(url + path)).json()) as Answer
    const save = async (timeout: number) => {
      const headers = { 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify({ timeout }) }
      return (await fetch(`${url}/api/bmc/1.0/0/watchdog/sw_shutdown_timeout`, request)).text()
    }
    const timeout = async () => (await get<{ shutdown_timeout: number }>('/api/bmc/1.0/0/watchdog')).shutdown_timeout
    const doors = async () => (await get<ServiceStatus>('/slotwire/status')).networkDoors.map(({ scheme }) => scheme)
    return { run, get, save, timeout, doors, readyz: () => get('/slotwire/readyz') }
  }

  /** A state folder with a saved setting, an identity and certificates. */
  async function used() {
    const { run, save } = await start(join(`${folder}.before`, 'state'), [], ...NETWORK)
    await save(12_345)
    run.child.kill('SIGTERM')
    await run.ended
  }

  const smallDisk = (pages: number, access: 'rw' | 'ro') => {
    return [unshare, '--mount', 'sh', '-c', SMALL, 'sh', folder, String(pages), access]
  }

  const onSmallDisk = (pages: number, access: 'rw' | 'ro', ...more: readonly string[]) => {
    return start(join(folder, 'state'), smallDisk(pages, access), ...more)
  }

  const inNamespaceOf = ({ pid }: SlotwireProcess, script: string) =>
    execFileSync('nsenter', [`--mount=/proc/${pid}/ns/mnt`, 'sh', '-c', script, 'sh', folder])

  /** All files of the state folder, as the process sees them. */
  function stored({ pid }: SlotwireProcess): Readonly<Record<string, string>> {
    const seen = join(`/proc/${pid}/root`, folder, 'state')
    const files = readdirSync(seen, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(paths.map((path) => [path.slice(seen.length + 1), readFileSync(path, 'utf8')]))
  }

  it.each([
    ['full', 0, 'rw', 'ENOSPC'],
    ['read-only', 0, 'ro', 'EROFS'],
  ] as const)('if it is %s, shows what was saved, saves nothing, and saves again when it can', async (_, pages, access, code) => {
    await used()
    const { run, save, timeout, doors, readyz } = await onSmallDisk(pages, access, ...NETWORK)
    const before = stored(run)
    expect(await readyz()).toEqual({ status: 'success', warnings: [`state folder: nothing is saved (${code})`] })
    expect(run.errors).toContain('nothing can be saved in the state folder')
    expect([await timeout(), await doors()]).toEqual([12_345, ['https']])
    expect(await save(20_000)).toMatch(REFUSED)
    expect([await timeout(), stored(run)]).toEqual([12_345, before])
    inNamespaceOf(run, MAKE_ROOM)
    expect(await save(23_456)).toBe('{"status":"success"}\n')
    expect(await readyz()).toEqual({ status: 'success' })
    expect(Object.keys(stored(run))).toContain('lock')
    expect(stored(run)['twin/slot-0.json']).toContain('23456')
  })

  it.each([0, 1, 2, 3])(
    'starts for the first time with %i free pages, and opens the door with TLS when there is room',
    async (pages) => {
      const { run, save, doors, readyz } = await onSmallDisk(pages, 'rw', ...NETWORK)
      expect(await save(20_000)).toMatch(REFUSED)
      expect(await readyz()).toMatchObject({
        warnings: expect.arrayContaining(['state folder: nothing is saved (ENOSPC)']) as object,
      })
      expect(await doors()).toEqual([])
      inNamespaceOf(run, MAKE_ROOM)
      expect(await save(23_456)).toBe('{"status":"success"}\n')
      await expect.poll(doors).toEqual(['https'])
      expect(Object.keys(stored(run))).toEqual(
        expect.arrayContaining(['lock', 'machine-id', 'tls/server.pem', 'twin/slot-0.json']),
      )
    },
  )

  it('keeps running when its log is on the full disk, and says later how many lines are lost', async () => {
    const log = ['sh', '-c', 'exec "$@" 2>> "$0/log"', folder]
    const { run, save } = await start(join(folder, 'state'), [...smallDisk(0, 'rw'), ...log], '--log-level', 'info')
    const readLog = () => readFileSync(join(`/proc/${run.pid}/root`, folder, 'log'), 'utf8')
    for (let count = 0; count < 9; count++) expect(await save(20_000)).toMatch(REFUSED)
    inNamespaceOf(run, MAKE_ROOM)
    expect(await save(23_456)).toBe('{"status":"success"}\n')
    await expect.poll(readLog).toMatch(/"lines":\d{1,2},"msg":"lines of this log are lost/)
  })

  const besides = ({ pid }: SlotwireProcess) => start(join(folder, 'state'), ['nsenter', `--mount=/proc/${pid}/ns/mnt`])

  it('is refused while another process has the lock, even without room for a lock', async () => {
    const { run } = await onSmallDisk(1, 'rw')
    await expect(besides(run)).rejects.toThrow(`is in use by process ${run.pid}: stop it`)
  })

  it('saves nothing while a process that started later has the lock', async () => {
    const { run, save, readyz } = await onSmallDisk(0, 'rw')
    run.child.kill('SIGSTOP')
    inNamespaceOf(run, MAKE_ROOM)
    const later = await besides(run)
    run.child.kill('SIGCONT')
    expect(await later.save(23_456)).toBe('{"status":"success"}\n')
    expect(await save(20_000)).toMatch(REFUSED)
    const inUse: unknown = expect.stringMatching(`^state folder: .*in use by process ${later.run.pid}`)
    expect(await readyz()).toMatchObject({ warnings: expect.arrayContaining([inUse]) as unknown })
    expect(stored(run)['twin/slot-0.json']).toContain('23456')
    later.run.child.kill('SIGTERM')
    await later.run.ended
    expect(await save(20_000)).toBe('{"status":"success"}\n')
    expect(JSON.stringify(await readyz())).not.toContain('state folder')
  })

  it('is refused with --reset-state, which cannot erase anything', async () => {
    await used()
    await expect(onSmallDisk(0, 'ro', '--reset-state')).rejects.toThrow(/ended with 2: .*cannot be written \(EROFS/)
  })

  it('is refused in the middle of a restore, which it cannot complete', async () => {
    const state = join(`${folder}.before`, 'state')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'restore.json'), '{}')
    await expect(onSmallDisk(0, 'ro')).rejects.toThrow(/ended with 2: [^]*a restore into .* was interrupted/)
  })
})
