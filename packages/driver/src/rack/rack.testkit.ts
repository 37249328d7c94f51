import { ManualClock, seededRandom } from '@slotwire/core'
import { expect, onTestFinished } from 'vitest'
import { RELAY } from '../slot/fake-module.testkit.ts'
import { FakeBackplane } from './fake-backplane.testkit.ts'
import { Rack, STOP_DEADLINE_MS } from './rack.ts'
import { RecordingLog } from './recording-log.testkit.ts'

export interface Device {
  readonly clock: ManualClock
  readonly backplane: FakeBackplane
  readonly log: RecordingLog
  readonly rack: Rack
  /** The events of the rack, from its log: `slot-up 3`. */
  readonly events: string[]
}

const EVENTS: Readonly<Record<string, string>> = {
  'module is usable': 'slot-up',
  'module is no longer used': 'slot-down',
  'the device restarts': 'restarting',
  'the device is up': 'up',
}

/** A rack on a simulated device, not started. At the end of the test it is stopped, and must have no timer left. */
export function device(): Device {
  const clock = new ManualClock()
  const backplane = new FakeBackplane(clock)
  const events: string[] = []
  const log = new RecordingLog(({ fields, message }) => {
    const event = EVENTS[message]
    if (event !== undefined) events.push('slot' in fields ? `${event} ${String(fields.slot)}` : event)
  })
  const rack = new Rack({ backplane, clock, random: seededRandom(2), log, types: [RELAY] })
  onTestFinished(async () => {
    await Promise.all([rack.stop(), clock.advance(2 * STOP_DEADLINE_MS)])
    expect(clock.pending).toBe(0)
  })
  return { clock, backplane, log, rack, events }
}

/** The numbers of the usable slots. */
export function usable(rack: Rack): number[] {
  return rack.usable(RELAY).map((slot) => slot.slot)
}
