import { ManualClock, type ModuleDescriptor, seededRandom } from '@slotwire/core'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { FakeModule, getValue, relayDescriptor } from './fake-module.testkit.ts'
import { Slot } from './slot.ts'
import type { SlotEvent } from './slot-api.ts'
import { SlotStatistics } from './slot-statistics.ts'

/** When the slot beats, within each tenth of a second. */
export const PHASE_MS = 37

export interface Bench {
  readonly clock: ManualClock
  readonly module: FakeModule
  readonly log: RecordingLog
  readonly slot: Slot
  readonly events: SlotEvent[]
  readonly statistics: SlotStatistics
  deviceRestarting: boolean
}

export interface BenchOptions {
  readonly descriptor?: Partial<ModuleDescriptor>
  readonly readDescriptor?: () => Promise<ModuleDescriptor>
  readonly queueLimit?: number
  readonly sclkCapKhz?: number
}

/** A slot with a fake module, not started. */
export function bench(options: BenchOptions = {}): Bench {
  const clock = new ManualClock()
  const module = new FakeModule(clock)
  const log = new RecordingLog()
  const events: SlotEvent[] = []
  const descriptor = { ...relayDescriptor, ...options.descriptor }
  const statistics = new SlotStatistics()
  const result = { clock, module, log, events, statistics, deviceRestarting: false }
  const slot = new Slot({
    link: module,
    descriptor,
    readDescriptor: options.readDescriptor ?? (() => Promise.resolve(descriptor)),
    deviceRestarting: () => result.deviceRestarting,
    clock,
    random: seededRandom(1),
    heartbeatPhaseMs: PHASE_MS,
    closeInTurn: (close) => close(),
    log,
    statistics,
    queueLimit: options.queueLimit,
    sclkCapKhz: options.sclkCapKhz,
  })
  slot.subscribe((event) => events.push(event))
  return Object.assign(result, { slot })
}

/** The same, started; the frames of the start are removed from the record. */
export async function started(options: BenchOptions = {}): Promise<Bench> {
  const made = bench(options)
  await made.slot.start()
  made.module.sent.length = 0
  return made
}

/** Reads the one value, plain or fresh. */
export function readValue(slot: Slot, fresh = false): Promise<number> {
  return slot.read('value', { fresh }, async (exchange) => (await exchange(getValue, {})).value)
}

/** The outcome of a promise, filled in as soon as it is settled. */
export function outcomeOf(work: Promise<unknown>): { value?: unknown; code?: string; error?: unknown } {
  const outcome: { value?: unknown; code?: string; error?: unknown } = {}
  work.then(
    (value) => {
      outcome.value = value
    },
    (error: unknown) => {
      outcome.error = error
      if (error instanceof Error && 'code' in error) outcome.code = String(error.code)
    },
  )
  return outcome
}
