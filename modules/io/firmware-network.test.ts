import { capacitor, resistor, source } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'

const HOUR_MS = 3_600_000
const OPEN_VOLTS = 5.15

/** Pin 1 drives a PWM of 1 kHz with this duty; a low-pass of 10 kΩ and 10 µF leads to pin 2. */
function lowPass(duty: number, isReversed = false) {
  const io = new BareIoModule()
  const capacitance = () => io.wiring.connect('5/2', capacitor(1e-5))
  if (isReversed) capacitance()
  io.wiring.connect(isReversed ? '5/2' : '5/1', resistor(10_000), { other: isReversed ? '5/1' : '5/2' })
  if (!isReversed) capacitance()
  io.power()
  io.pwm(1, 47, duty * 1000, 1000)
  return io
}

describe('a low-pass behind a PWM of 1 kHz', () => {
  it('shows the mean voltage, less what the input of 1 MΩ takes', async () => {
    const io = lowPass(0.4)
    await io.clock.advance(2000.3)
    const mean = 0.4 * OPEN_VOLTS * (1_000_000 / 1_010_000)
    expect(Math.abs(io.value(2)[1] - 1000 * mean)).toBeLessThanOrEqual(10)
    expect(io.alerts).toEqual([])
  })

  it('raises the alert of a threshold once, when the mean passes it', async () => {
    const io = lowPass(0.8)
    io.threshold(2, 3000, 'rising')
    await io.clock.advance(1000)
    const [atMs, ...more] = io.alertTimes('customVoltageAlert', 2)
    // 0.8 × 5.15 V × (1 − e^(−t / 99 ms)) reaches 3 V after 131 ms; a report leaves 20 ms after its event.
    expect(atMs).toBeGreaterThan(148)
    expect(atMs).toBeLessThan(156)
    expect(more).toEqual([])
  })

  it('costs few timers in an hour, with a reading each second', async () => {
    const io = lowPass(0.5)
    io.threshold(2, 2000, 'rising')
    const seen = new Set<number>()
    for (let second = 0; second < HOUR_MS / 1000; second++) {
      await io.clock.advance(1000)
      seen.add(io.value(2)[1])
    }
    expect(io.timersStarted).toBeLessThan(100)
    expect(seen.size).toBe(1)
    expect(io.alertTimes('customVoltageAlert', 2)).toHaveLength(1)
  })

  it('gives the same readings in either order and direction of connecting', async () => {
    const story = async (io: BareIoModule): Promise<unknown> => {
      const seen: unknown[] = []
      for (const ms of [0.1, 0.7, 3, 11, 100]) {
        await io.clock.advance(ms)
        seen.push(io.wiring.terminal('5/2').voltsAt(io.clock.now()), io.milliampere(1), io.rails.current('5v0'))
      }
      io.mode(1, 'analog')
      await io.clock.advance(5)
      return [...seen, io.wiring.terminal('5/2').voltsAt(io.clock.now())]
    }
    expect(await story(lowPass(0.5))).toEqual(await story(lowPass(0.5, true)))
  })
})

it('a capacitor keeps its charge when the pin that charged it lets go, and when the wiring changes', async () => {
  const io = new BareIoModule()
  io.wiring.connect('5/1', capacitor(1e-6))
  io.power()
  io.output(1, 'high')
  await io.clock.advance(10)
  io.mode(1, 'analog')
  await io.clock.advance(1000)
  // 1 MΩ discharges 1 µF with a time constant of 1 s.
  expect(Math.abs(io.value(1)[1] - 5150 / Math.E)).toBeLessThanOrEqual(15)
  const link = io.wiring.connect('5/1', resistor(1000), { other: '5/2' })
  await io.clock.advance(1)
  const before = io.value(1)[1]
  expect(Math.abs(io.value(2)[1] - before)).toBeLessThanOrEqual(10)
  link.disconnect()
  expect(io.value(2)[1]).toBe(0)
  expect(Math.abs(io.value(1)[1] - before)).toBeLessThanOrEqual(10)
})

it('a resistor between two pins carries an output to an input, and is refused as external voltage there', () => {
  const io = new BareIoModule()
  io.wiring.connect('5/1', source(12, { ohms: 1 }))
  const link = io.wiring.connect('5/1', resistor(1000), { other: '5/2' })
  io.wiring.connect('5/2', resistor(1000))
  expect(io.value(2)[1]).toBe(5990)
  io.power()
  expect(() => io.output(2, 'high')).toThrow()
  link.set({ ohms: 2000 })
  expect(io.value(2)[1]).toBe(4000)
  link.disconnect()
  io.output(2, 'high')
  expect(io.value(2)[1]).toBeGreaterThan(5000)
})
