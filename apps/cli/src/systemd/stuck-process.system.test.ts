import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AS_A_SERVICE, childrenOf, FakeDevice } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { NotifySocket } from './notify-socket.testkit.ts'

/** Of the watchdog that the processes are told of: fed every 100 ms. */
const WATCHDOG_USEC = 400_000
const FEEDINGS = 3
/** Real programs on a machine that may be busy, and the ten seconds after which nothing gets on any more. */
const WAIT = { timeout: 40_000, interval: 50 }
/** So many looks in which nothing was told are the time of several feedings. */
const QUIET_LOOKS = 30
const STUCK = /^STATUS=the slots have not been listed for \d+ s$/

// Node.js is copied, and each waits for what takes ten seconds.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

describeWith(['systemdNotify', 'perl', 'socat'], 'the watchdog of a process on a device', (_, perl, socat) => {
  let folder: string
  let program: string
  let device: FakeDevice
  let socket: NotifySocket
  let service: SlotwireProcess | undefined
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slotwire stuck '))
    program = join(folder, 'node')
    copyFileSync(process.execPath, program)
    device = await FakeDevice.switchedOn(socat)
    socket = new NotifySocket(perl)
    await socket.ready()
  })
  afterEach(async () => {
    await service?.remove()
    await socket.close()
    await device.close()
    rmSync(folder, { recursive: true })
  })

  /** With a Node.js of its own, which starts the processes that it needs. */
  function begin(words: readonly string[]): SlotwireProcess {
    const startedBy = [...AS_A_SERVICE, 'sh', '-c', 'exec "$RUNTIME" "$@"']
    const environment = { RUNTIME: program, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: String(WATCHDOG_USEC) }
    service = new SlotwireProcess([...words, '--log-level', 'silent'], { startedBy, environment })
    return service
  }

  /** The process that looks at the slots; while its program is away there will be no other. */
  function endReader(pid: number): void {
    const reader = childrenOf(pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('reader-program.mjs'))
    if (reader === undefined) throw new Error('nobody looks at the slots')
    process.kill(reader, 'SIGKILL')
  }

  it.each([
    ['serve', () => ['serve', '--hardware', 'kernel', '--port', '0', '--state', join(folder, 'state'), ...device.options]],
    ['power-manager', () => ['power-manager', '--socket', join(folder, 'p'), '--sys-root', device.tree.sysRoot]],
  ])('slotwire %s is fed no more when nobody can look at the slots, until somebody does', async (_command, words) => {
    const run = begin(words())
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(FEEDINGS)
    renameSync(program, `${program} away`)
    endReader(run.pid)
    await expect.poll(() => socket.told.at(-1), WAIT).toMatch(STUCK)
    const before = socket.fed
    let looks = 0
    await expect.poll(() => ++looks, WAIT).toBeGreaterThan(QUIET_LOOKS)
    expect(socket.fed).toBe(before)
    expect(socket.told.at(-1)).toMatch(STUCK)
    renameSync(`${program} away`, program)
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(before + FEEDINGS)
    expect(socket.told.filter((text) => text.startsWith('STATUS=')).every((text) => STUCK.test(text))).toBe(true)
    expect(run.errors).toBe('')
  })
})
