import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { FakeDevice } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

/** Latest time for all modules to be in SUSPEND: 900 ms of heartbeats without the service, then their own fail-safe. */
const SUSPENDED_WITHIN_MS = 2100
/** The fastest of so many rounds counts: other programs may take the processor in any of them. */
const ROUNDS = 3
/** Heartbeats of four modules in a second. */
const PAYLOADS = 40
const SOON = { timeout: 30_000, interval: 5 }
/** Blocks the event loop permanently, or 600 ms in each turn. */
const SPIN = `
  process.on('SIGUSR2', () => { for (;;); })
  process.on('SIGWINCH', function block() {
    for (const end = performance.now() + 600; performance.now() < end;);
    setImmediate(block)
  })`

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describeWith('socat', 'modules whose service does not run', (socat) => {
  const clock = new SystemClock()
  let folder: string
  let device: FakeDevice
  let service: KernelService | undefined
  beforeEach(async () => {
    folder = temporaryFolder({ prefix: 'slotwire-' })
    writeFileSync(join(folder, 'spin.mjs'), SPIN)
    vi.stubEnv('NODE_OPTIONS', `--import=${join(folder, 'spin.mjs')}`)
    device = await FakeDevice.switchedOn(socat)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    service?.run.child.kill('SIGKILL')
  })

  const modes = (): readonly unknown[] => [0, 1, 3, 5].map((slot) => device.bench.slot(slot).mode)
  const all = (mode: string): readonly string[] => Array<string>(4).fill(mode)

  it.each(['SIGSTOP', 'SIGUSR2'] as const)('are in SUSPEND after two seconds when it gets %s', async (signal) => {
    const tookMs: number[] = []
    while (tookMs.length < ROUNDS && !tookMs.some((ms) => ms < SUSPENDED_WITHIN_MS)) {
      await service?.kill()
      service = await KernelService.start(device, folder)
      await expect.poll(modes, SOON).toEqual(all('run'))
      // The service has renewed the lease several times.
      let payloads = 0
      device.tree.onPayload = () => payloads++
      await expect.poll(() => payloads, SOON).toBeGreaterThan(PAYLOADS)
      const fromMs = clock.now()
      process.kill(service.run.pid, signal)
      await expect.poll(modes, SOON).toEqual(all('suspend'))
      tookMs.push(clock.now() - fromMs)
    }
    expect(Math.min(...tookMs), `milliseconds: ${tookMs.join(', ')}`).toBeLessThan(SUSPENDED_WITHIN_MS)
  })

  it('run while each turn of its event loop takes 600 ms', async () => {
    service = await KernelService.start(device, folder)
    let payloads = 0
    let suspended = 0
    device.tree.onPayload = () => {
      payloads++
      if (modes().includes('suspend')) suspended++
    }
    await expect.poll(() => payloads, SOON).toBeGreaterThan(PAYLOADS)
    process.kill(service.run.pid, 'SIGWINCH')
    const suspendedIn: number[] = []
    while (suspendedIn.length < ROUNDS && !suspendedIn.includes(0)) {
      payloads = 0
      suspended = 0
      await expect.poll(() => payloads, SOON).toBeGreaterThan(5 * PAYLOADS)
      suspendedIn.push(suspended)
    }
    expect(suspendedIn).toContain(0)
  })
})
