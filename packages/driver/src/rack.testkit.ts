import { ManualClock, seededRandom } from '@slotwire/core'
import { FakeBackplane } from './fake-backplane.testkit.ts'
import { RELAY } from './fake-module.testkit.ts'
import { Rack } from './rack.ts'
import { RecordingLog } from './recording-log.testkit.ts'

export interface Device {
  readonly clock: ManualClock
  readonly backplane: FakeBackplane
  readonly log: RecordingLog
  readonly rack: Rack
  /** What happened in the rack: `slot-up 3`. */
  readonly events: string[]
}

/** A rack on a device by hand, not started. */
export function device(): Device {
  const clock = new ManualClock()
  const backplane = new FakeBackplane(clock)
  const log = new RecordingLog()
  const rack = new Rack({ backplane, clock, random: seededRandom(2), log, types: [RELAY] })
  const events: string[] = []
  rack.subscribe((event) => events.push('slot' in event ? `${event.type} ${event.slot.slot}` : event.type))
  return { clock, backplane, log, rack, events }
}

/** The numbers of the slots that can be used. */
export function usable(rack: Rack): number[] {
  return rack.usable(RELAY).map((slot) => slot.slot)
}
