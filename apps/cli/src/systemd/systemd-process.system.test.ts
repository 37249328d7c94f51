import { afterEach, beforeEach, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { NotifySocket } from './notify-socket.testkit.ts'

/** Watchdog timeout of the processes. */
const WATCHDOG_USEC = 400_000
const FEEDINGS = 3
const WAIT = { timeout: 15_000, interval: 50 }

describeWith(['systemdNotify', 'perl'], 'a served device started by systemd', (_, perl) => {
  let socket: NotifySocket
  let state: string
  let service: SlotwireProcess
  beforeEach(async () => {
    socket = new NotifySocket(perl)
    await socket.ready()
    state = temporaryFolder()
    const environment = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: String(WATCHDOG_USEC) }
    const args = ['serve', '--json', '--hardware', 'twin', '--port', '0', '--state', state, '--log-level', 'warn']
    service = new SlotwireProcess(args, { environment })
  })
  afterEach(() => socket.close())

  it('reports that it is ready when its modules are usable, and a reload and the end', async () => {
    const { urls } = JSON.parse(await service.firstLine()) as { readonly urls: readonly string[] }
    await expect.poll(() => socket.notified[0], WAIT).toBe(`READY=1 STATUS=4 modules at ${urls.join(', ')}`)
    expect(await (await fetch(`${urls[0] ?? ''}/slotwire/readyz`)).json()).toEqual({ status: 'success' })
    service.child.kill('SIGHUP')
    await expect.poll(() => socket.notified.filter((text) => !text.startsWith('WATCHDOG')), WAIT).toHaveLength(3)
    service.child.kill('SIGTERM')
    const { code, errors } = await service.ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    await expect
      .poll(() => socket.notified.filter((text) => !text.startsWith('WATCHDOG')), WAIT)
      .toEqual([
        expect.stringMatching(/^READY=1 STATUS/),
        expect.stringMatching(/^RELOADING=1 MONOTONIC_USEC=\d+$/),
        'READY=1',
        'STOPPING=1',
      ])
  })

  it('feeds the watchdog, but not while it is stopped', async () => {
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(FEEDINGS)
    service.child.kill('SIGSTOP')
    // Notifications in progress end first. Then a separate count measures the time without any.
    await expect.poll(quietly, WAIT).toBe(true)
    service.child.kill('SIGCONT')
    const before = socket.fed
    await expect.poll(() => socket.fed, WAIT).toBeGreaterThan(before + FEEDINGS)
  })

  let lastFed = -1
  let quietLooks = 0
  /** Whether no notification came during several intervals. */
  function quietly(): boolean {
    quietLooks = socket.fed === lastFed ? quietLooks + 1 : 0
    lastFed = socket.fed
    return (quietLooks * WAIT.interval * 1000) / WATCHDOG_USEC > FEEDINGS
  }
})
