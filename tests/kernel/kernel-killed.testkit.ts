import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { setOutputState } from '@slotwire/modules/io/wire'
import { type AnyCommand, modeSuspend } from '@slotwire/sdbp'
import { expect } from 'vitest'
import { childrenOf, FakeDevice, runs } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

/** Target time from the start of the process to the first answer. An idle machine needs half of it. */
const SERVED_WITHIN_MS = 2000
const STARTS = 5
/** Limit for the slowest start, with other tests running. */
const LATE_WITHIN_MS = 10_000
/** Deadline to start or end a process on a busy machine. */
const SOON = { timeout: 30_000, interval: 5 }

/** Kills the process at a certain moment; resolves after the signal. */
type Moment = (killed: KilledService) => Promise<void>

export const whileOutputsAreDriven: Moment = async (killed) => killed.signal()

export const duringAnOutput: Moment = async (killed) => {
  killed.device.onCommand(3, setOutputState, () => killed.signal())
  await expect(killed.drive(2)).rejects.toThrow()
}

/** Kills at a command of the power configuration, which begins with MODE_SUSPEND. */
export function duringPowerConfiguration(command: AnyCommand): Moment {
  return async (killed) => {
    killed.device.onCommand(3, modeSuspend, () => {
      if (command === modeSuspend) killed.signal()
      else killed.device.onCommand(3, command, () => killed.signal())
    })
    await expect(killed.power()).rejects.toThrow()
  }
}

export const whileAModuleNeverAnswers: Moment = async (killed) => {
  killed.device.onCommand(3, setOutputState, () => {
    killed.device.tree.mute.add(3)
    killed.signal()
  })
  await expect(killed.drive(1)).rejects.toThrow()
}

/** Kills during power configurations and output changes, before a module gets the payload with this number. */
export function atPayload(number: number): Moment {
  return async (killed) => {
    let left = number
    killed.device.tree.onPayload = () => {
      left -= 1
      if (left === 0) killed.signal()
    }
    while (left > 0) {
      for (const request of [() => killed.power(), () => killed.drive(1), () => killed.drive(2)]) {
        await request().catch((error: unknown) => {
          if (left > 0) throw error
        })
      }
    }
  }
}

/** A service on the kernel's files that is killed with SIGKILL and started again over the same state and modules. */
export class KilledService {
  readonly #clock = new SystemClock()
  readonly #state = mkdtempSync(join(tmpdir(), 'slotwire killed '))
  /** Times from each start after a kill to the first answer. */
  readonly #startsMs: number[] = []
  #service: KernelService | undefined

  private constructor(readonly device: FakeDevice) {}

  static async switchedOn(socat: string): Promise<KilledService> {
    return new KilledService(await FakeDevice.switchedOn(socat))
  }

  /**
   * Kills the service while it drives an output. Checks that all outputs are off, every file was closed once and no process is left, and
   * that the next start serves all modules.
   */
  async kill(moment: Moment): Promise<void> {
    if (this.#service === undefined || !runs(this.#service.run.pid)) await this.#serve()
    const { tree, bench } = this.device
    await this.#drivesPin1()
    // The process that reads /sys has children, too.
    const children = childrenOf(this.#running.run.pid).flatMap((child) => [child, ...childrenOf(child)])
    expect(children.length).toBeGreaterThan(4)
    tree.closings.length = 0
    await moment(this)
    await this.#running.run.ended
    tree.onPayload = () => undefined
    await expect.poll(() => children.filter(runs), SOON).toEqual([])
    await expect.poll(() => [...tree.closings].sort(), SOON).toEqual([0, 1, 3, 5])
    await expect.poll(() => bench.slot(3).mode, SOON).toBe('suspend')
    for (const pin of [1, 2]) expect(this.#volts(pin)).toBeLessThan(0.1)
    tree.mute.clear()
    this.#startsMs.push(await this.#serve())
    await this.#drivesPin1()
  }

  /** Checks that the fastest start took less than two seconds, and all less than ten: other tests run at the same time. */
  async expectServedSoon(): Promise<void> {
    while (this.#startsMs.length < STARTS) await this.kill(whileOutputsAreDriven)
    const took = this.#startsMs.map((ms) => Math.round(ms))
    const message = `milliseconds of each start: ${took.join(', ')}`
    expect(Math.min(...took), message).toBeLessThan(SERVED_WITHIN_MS)
    expect(Math.max(...took), message).toBeLessThan(LATE_WITHIN_MS)
  }

  signal(): void {
    this.#running.run.child.kill('SIGKILL')
  }

  power(): Promise<unknown> {
    const config = Array(6).fill({ rail: '5_volt', current_milliampere: 10 })
    return this.#running.post('io/1.0/3/power-management', { config })
  }

  drive(pin: number): Promise<unknown> {
    return this.#running.post('io/1.0/3/output/state', { pin, state: 'high' })
  }

  async remove(): Promise<void> {
    await this.#service?.remove()
    await this.device.close()
    rmSync(this.#state, { recursive: true })
  }

  get #running(): KernelService {
    if (this.#service === undefined) throw new Error('it was never started')
    return this.#service
  }

  /** Starts the service; returns the milliseconds to the first answer when all modules are served. */
  async #serve(): Promise<number> {
    const fromMs = this.#clock.now()
    this.#service = await KernelService.answering(this.device, this.#state, '/api/io/1.0/3/input/values')
    const tookMs = this.#clock.now() - fromMs
    const slots = () => Promise.all(['bmc', 'power', 'io'].map((name) => this.#slotsOf(name)))
    await expect.poll(slots, SOON).toEqual([[0], [1], [3, 5]])
    return tookMs
  }

  async #drivesPin1(): Promise<void> {
    expect(await this.power()).toMatchObject({ status: 'success' })
    expect(await this.drive(1)).toEqual({ status: 'success' })
    expect(this.#volts(1)).toBeGreaterThan(4.5)
  }

  async #slotsOf(service: string): Promise<readonly number[]> {
    const { devices } = (await this.#running.get(`${service}/`)) as { devices: readonly { slot_number: number }[] }
    return devices.map((device) => device.slot_number)
  }

  #volts(pin: number): number {
    return this.device.bench.pin(3, pin).volts
  }
}
