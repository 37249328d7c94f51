import { readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AS_A_SERVICE, childrenOf, FakeDevice } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { NotifySocket } from './notify-socket.testkit.ts'

/** Watchdog timeout of the processes: fed every 100 ms. */
const WATCHDOG_USEC = 400_000
const FEEDINGS = 3
/** Limits for real programs on a busy machine, plus the ten seconds until a stop of all slots counts as stuck. */
const WAIT = { timeout: 40_000, interval: 50 }
/** So many checks without a notification are the time of several notifications. */
const QUIET_LOOKS = 30
const STUCK = /^STATUS=the slots have not been listed for \d+ s$/

// Each test waits for ten seconds.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

describeWith(['systemdNotify', 'perl', 'socat'], 'the watchdog of a process on a device', (notifier, perl, socat) => {
  let folder: string
  let program: string
  let device: FakeDevice
  let socket: NotifySocket
  let service: SlotwireProcess | undefined
  beforeEach(async () => {
    folder = temporaryFolder()
    program = join(folder, 'perl')
    symlinkSync(perl, program)
    symlinkSync(notifier, join(folder, 'systemd-notify'))
    device = await FakeDevice.switchedOn(socat)
    socket = new NotifySocket(perl)
    await socket.ready()
  })
  afterEach(() => socket.close())

  /** Starts a command that finds only the programs in the folder. */
  function begin(words: readonly string[]): SlotwireProcess {
    const startedBy = [...AS_A_SERVICE, 'sh', '-c', 'PATH="$PROGRAMS" exec "$0" "$@"']
    const environment = { PROGRAMS: folder, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: String(WATCHDOG_USEC) }
    service = new SlotwireProcess([...words, '--log-level', 'silent'], { startedBy, environment })
    return service
  }

  /** Kills the process that reads the slots. While Perl is renamed, no other can start. */
  function endReader(pid: number): void {
    const reader = childrenOf(pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('reader.pl'))
    if (reader === undefined) throw new Error('no process reads the slots')
    process.kill(reader, 'SIGKILL')
  }

  it.each([
    ['serve', () => ['serve', '--hardware', 'kernel', '--port', '0', '--state', join(folder, 'state'), ...device.options]],
    ['power-manager', () => ['power-manager', '--socket', join(folder, 'p'), '--sys-root', device.tree.sysRoot]],
  ])('slotwire %s is not fed while no process can read the slots', async (_command, words) => {
    const run = begin(words())
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(FEEDINGS)
    renameSync(program, `${program} away`)
    endReader(run.pid)
    await expect.poll(() => socket.notified.at(-1), WAIT).toMatch(STUCK)
    const before = socket.fed
    let looks = 0
    await expect.poll(() => ++looks, WAIT).toBeGreaterThan(QUIET_LOOKS)
    expect(socket.fed).toBe(before)
    expect(socket.notified.at(-1)).toMatch(STUCK)
    renameSync(`${program} away`, program)
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(before + FEEDINGS)
    expect(socket.notified.filter((text) => text.startsWith('STATUS=')).every((text) => STUCK.test(text))).toBe(true)
    expect(run.errors).toBe('')
  })
})
