import { ManualClock, seededRandom } from '@slotwire/core'
import { decodeFrame, dummyOperation, encodeFrame, encodeRequest, MessageType, modeRun } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import type { ModuleEnd } from '../bus/module-end.ts'
import { VolatileMemory } from '../module/memory.ts'
import type { Fault } from './fault.ts'
import { crcErrors, duplicatedFrames, endlessWait, garbage, lateFrames, lostFrames, wrongClass } from './kinds.ts'
import { Faults } from './slot-faults.ts'

const SIZE = 64
const operation = encodeFrame(
  { type: MessageType.operation, notificationPending: false, payload: encodeRequest(modeRun, {}) },
  SIZE,
)
const dummy = encodeFrame(
  { type: MessageType.acknowledgement, notificationPending: false, payload: encodeRequest(dummyOperation, {}) },
  SIZE,
)

/** Answers every dummy with a response that counts up; records the received frames. */
class CountingModule implements ModuleEnd {
  onPulse: () => void = () => undefined
  readonly received: Uint8Array[] = []
  #count = 0

  transfer(hostFrame: Uint8Array): Uint8Array {
    this.received.push(hostFrame)
    return encodeFrame(
      { type: MessageType.response, notificationPending: false, payload: Uint8Array.of(1, 3, 3, this.#count++) },
      hostFrame.length,
    )
  }
}

function faultyWire(fault: Fault, seed = 1) {
  const clock = new ManualClock()
  const module = new CountingModule()
  const faults = new Faults({ clock, random: seededRandom(seed), memory: () => new VolatileMemory(), reboot: () => undefined })
  const wire = faults.slot(3).wire.connect(module)
  faults.inject(3, fault)
  return { clock, module, faults, wire }
}

const run = (fault: Fault, seed: number, transfers = 200): string[] => {
  const { wire } = faultyWire(fault, seed)
  return Array.from({ length: transfers }, () => Buffer.from(wire.transfer(dummy)).toString('hex'))
}

const isSound = (frame: Uint8Array): boolean => {
  try {
    return decodeFrame(frame).type === MessageType.response
  } catch {
    return false
  }
}

describe('a faulty wire', () => {
  const kinds: readonly (readonly [name: string, fault: Fault])[] = [
    ['lost', lostFrames({ share: 0.3 })],
    ['wrong bits', crcErrors({ share: 0.3 })],
    ['twice', duplicatedFrames({ share: 0.3 })],
    ['wrong class', wrongClass({ share: 0.3 })],
    ['garbage', garbage({ share: 0.3 })],
  ]
  it.each(kinds)('goes wrong in the same way for the same seed, and differently for another: %s', (_name, fault) => {
    expect(run(fault, 1)).toEqual(run(fault, 1))
    expect(run(fault, 1)).not.toEqual(run(fault, 2))
  })

  it('loses about the configured share, in both directions', () => {
    const { wire, module } = faultyWire(lostFrames({ share: 0.3 }))
    const lost = Array.from({ length: 1000 }, () => wire.transfer(dummy)).filter((frame) => !isSound(frame)).length
    expect(lost).toBeGreaterThan(250)
    expect(lost).toBeLessThan(350)
    const notReceived = 1000 - module.received.length
    expect(notReceived).toBeGreaterThan(100)
    expect(notReceived).toBeLessThan(200)
  })

  it('flips exactly one bit, in the frame of either side', () => {
    const { wire, module } = faultyWire(crcErrors({ share: 1 }))
    for (let times = 0; times < 100; times++) {
      const before = module.received.length
      const answer = wire.transfer(dummy)
      const received = module.received[before] as Uint8Array
      const flippedBits = bitsApart(received, dummy)
      expect([flippedBits, isSound(answer)]).toEqual(flippedBits === 1 ? [1, true] : [0, false])
    }
  })

  it('repeats a response in place of the next one', () => {
    const { wire } = faultyWire(duplicatedFrames({ share: 1 }))
    const counts = Array.from({ length: 4 }, () => decodeFrame(wire.transfer(dummy)).payload[3])
    expect(counts).toEqual([0, 0, 1, 2])
  })

  it('names another class in a valid frame', () => {
    const { wire } = faultyWire(wrongClass({ share: 1 }))
    expect([...decodeFrame(wire.transfer(dummy)).payload]).toEqual([1, 4, 3, 0])
  })

  it('delays the pulse of a response, no other, and drops it when the fault ends', async () => {
    const { wire, module, clock, faults } = faultyWire(lateFrames({ share: 1, delayMs: 20 }))
    let pulses = 0
    wire.onPulse = () => pulses++
    wire.transfer(operation)
    module.onPulse()
    await clock.advance(19)
    expect(pulses).toBe(0)
    await clock.advance(1)
    expect(pulses).toBe(1)
    wire.transfer(dummy)
    module.onPulse()
    expect(pulses).toBe(2)
    wire.transfer(operation)
    module.onPulse()
    faults.clear()
    await clock.advance(100)
    expect([pulses, clock.pending]).toEqual([2, 0])
  })

  it('requests more time with 05 02 and the microseconds, big-endian', async () => {
    const { wire, clock } = faultyWire(endlessWait({ waitMs: 65.536 }))
    let pulses = 0
    wire.onPulse = () => pulses++
    expect(decodeFrame(wire.transfer(operation)).type).toBe(MessageType.acknowledgement)
    await clock.advance(0)
    expect(pulses).toBe(1)
    expect([...decodeFrame(wire.transfer(dummy)).payload]).toEqual([1, 5, 2, 0, 1, 0, 0])
  })

  it.each([-0.1, 1.1, Number.NaN])('refuses a share of %f and names the bounds', (share) =>
    expect(() => lostFrames({ share })).toThrow(`share is out of range: 0…1, not ${share}`),
  )

  it('refuses delays and waits out of range', () => {
    expect(() => lateFrames({ share: 1, delayMs: 0 })).toThrow('delayMs is out of range')
    expect(() => endlessWait({ waitMs: 70_000 })).toThrow('waitMs is out of range: 1…65535 ms, not 70000')
  })
})

function bitsApart(one: Uint8Array, other: Uint8Array): number {
  let bits = 0
  one.forEach((byte, index) => {
    for (let left = byte ^ (other[index] ?? 0); left > 0; left &= left - 1) bits++
  })
  return bits
}
