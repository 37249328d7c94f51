import { ManualClock, seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { Chassis } from '../board/chassis.ts'
import { source } from '../circuit/index.ts'
import { hang } from '../faults/index.ts'
import { VolatileMemory } from '../module/memory.ts'
import { toyDefinition } from '../module/toy-firmware.testkit.ts'
import { untypedMethod } from '../untyped.testkit.ts'
import { Bench } from './bench.ts'

const chassis = new Chassis({ clock: new ManualClock(), random: seededRandom(1), memory: () => new VolatileMemory() })
const bench = new Bench(chassis, { lamp: { ...toyDefinition(), pins: 1 } })

describe('a caller without types', () => {
  const wrong: readonly unknown[] = [{}, 24, 'short', undefined, null]

  it.each([...wrong, source])('gets a TypeError for a pin connection to %s', (value) => {
    expect(() => untypedMethod(bench.pin(3, 1), 'connect', value)).toThrow(
      new TypeError('this takes an element, as in pin.connect(source(24))'),
    )
    expect(bench.connections).toEqual([])
  })

  it.each([...wrong, hang])('gets a TypeError for a slot fault %s', (value) => {
    expect(() => untypedMethod(bench.slot(3), 'inject', value)).toThrow(
      new TypeError('this takes a fault, as in slot.inject(hang())'),
    )
    expect(bench.faults).toEqual([])
  })
})
