import type { Random } from '@slotwire/core'
import type { Device } from '../device/device.testkit.ts'
import type { Chaos } from './soak-chaos.testkit.ts'

/** Limit of requests that wait for a slot. */
const MAX_PENDING = 30
const CALM = [200, 400]
const TROUBLED = [200, 400, 404, 500, 502, 503]

type RandomRequest = readonly [slot: number, path: string, body?: unknown]

/** Clients that send random requests, and check the statuses against behaviour.md. */
export class Load {
  readonly #pending = new Set<Promise<void>>()
  /** Number of answers by status. */
  readonly answered = new Map<number, number>()
  #fault: Error | undefined

  constructor(
    private readonly device: Device,
    private readonly chaos: Chaos,
    private readonly random: Random,
  ) {}

  /** Sends some requests without waiting for them. Throws if an earlier answer was wrong. */
  step(): void {
    if (this.#fault !== undefined) throw this.#fault
    for (let count = Math.floor(this.random() * 3); count > 0 && this.#pending.size < MAX_PENDING; count--) {
      const sending = this.#send(this.#pick([() => this.#io(), () => this.#io(), () => this.#bmc(), () => this.#power()])())
        .catch((error: unknown) => {
          this.#fault ??= error as Error
        })
        .finally(() => this.#pending.delete(sending))
      this.#pending.add(sending)
    }
  }

  /** Resolves when all requests have been answered. */
  async finish(): Promise<void> {
    await this.device.until(Promise.all(this.#pending))
    this.step()
    await this.device.until(Promise.all(this.#pending))
  }

  async #send([slot, path, body]: RandomRequest): Promise<void> {
    const startedMs = this.device.clock.now()
    const service = slot === 0 ? 'bmc' : slot === 1 ? 'power' : 'io'
    const module = this.device.module(service, slot)
    const headers = { 'cache-control': this.random() < 0.5 ? 'no-cache' : 'max-age=1' }
    const { status, text } = body === undefined ? await module.get(path, headers) : await module.post(path, body)
    this.answered.set(status, (this.answered.get(status) ?? 0) + 1)
    const isCalm = this.chaos.wasCalm(slot, startedMs)
    if (!(isCalm ? CALM : TROUBLED).includes(status)) throw new Error(`${service} ${slot} ${path}: ${status} ${text}`)
  }

  /** Uses pins 1 to 4 (the probes use the others), and no resets or power configurations, which would affect the probes. */
  #io(): RandomRequest {
    const pin = 1 + Math.floor(this.random() * 4)
    const trigger = this.#pick(['rising', 'falling', 'disabled'])
    return [
      this.#pick([3, 5]),
      ...this.#pick<readonly [path: string, body?: unknown]>([
        ['input/values'],
        ['input/values/current'],
        ['descriptor'],
        [`notification/${pin}`],
        ['input/mode', { pin, mode: this.#pick(['analog', 'digital']) }],
        ['input/analog/threshold', { pin, threshold_millivolt: 50 + Math.floor(this.random() * 12_000), trigger }],
        ['input/digital/interrupt', { pin, debounce_time_milliseconds: this.#pick([0, 5, 1000]), trigger }],
        ['input/digital/counter', { pin, state: this.#pick(['enabled', 'disabled']) }],
        ['output/state', { pin, state: this.#pick(['high', 'low']) }],
        ['output/pwm', { pin, prescaler: this.#pick([0, 47, 47_999]), time_on: 25, period: 100 }],
      ]),
    ]
  }

  #bmc(): RandomRequest {
    return [
      0,
      ...this.#pick<readonly [path: string, body?: unknown]>([
        ['temperature'],
        ['voltage'],
        ['watchdog'],
        ['watchdog', { timeout: this.#pick([0, 600_000]) }],
        ['watchdog/alive'],
        ['watchdog/save'],
        ['buzzer', { mode: this.#pick([0, 1, 2, 5]), duration: 100 }],
        ['usbhub/devices'],
        ['usbhub/slot/4', { state: this.random() < 0.5 }],
        ['usbhub/reset', { reset: 'yes' }],
      ]),
    ]
  }

  #power(): RandomRequest {
    return [
      1,
      ...this.#pick<readonly [path: string, body?: unknown]>([
        ['stats'],
        ['protectionlog'],
        ['temperature'],
        ['fan'],
        ['fan', { fan_forced: this.random() < 0.5, fan_mode: this.#pick([0, 20, 100]) }],
        ['fan/rpm', { measurement_enabled: true }],
        ['fan/rpm'],
      ]),
    ]
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }
}
