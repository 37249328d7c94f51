import { button, noise, resistor } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule, powered } from './firmware.testkit.ts'

/** A module whose pin 1 has a button to 5 V, and 10 kΩ to ground. */
function withButton(options: Parameters<typeof button>[0]) {
  const io = new BareIoModule()
  io.wiring.connect('5/1', resistor({ ohms: 10_000 }))
  const pressed = io.wiring.connect('5/1', button({ volts: 5, ...options }))
  io.mode(1, 'digital')
  return { io, pressed }
}

describe('a button on a pin', () => {
  it('counts once with a debounce time although it bounces, at the first contact', async () => {
    const { io, pressed } = withButton({ bounces: 8, bounceMs: 10 })
    io.interrupt(1, 'rising', 20)
    await io.clock.advance(100)
    pressed.set({ pressed: true })
    await io.clock.advance(500)
    expect(io.alertTimes()).toEqual([120])
  })

  it('raises repeated events without debounce time while it bounces, every 5 ms at most', async () => {
    const { io, pressed } = withButton({ bounces: 8, bounceMs: 20 })
    io.interrupt(1, 'rising')
    pressed.set({ pressed: true })
    await io.clock.advance(500)
    expect(io.alertTimes().length).toBeGreaterThan(2)
    expect(io.alertTimes().length).toBeLessThanOrEqual(5)
    expect(io.alertTimes()[0]).toBe(20)
  })

  it('counts all of its contacts', async () => {
    const { io, pressed } = withButton({ bounces: 8, bounceMs: 20 })
    io.counter(1, 'enabled')
    pressed.set({ pressed: true })
    await io.clock.advance(500)
    expect(io.value(1)).toEqual(['frequency_hertz', 9])
    pressed.set({ pressed: false })
    await io.clock.advance(400)
    // Releasing it closes the contact 8 times more.
    expect(io.value(1)).toEqual(['frequency_hertz', 17])
  })

  it('makes a pulse when it is pressed for a time: reported at the release, with no timer for its contact', async () => {
    const { io, pressed } = withButton({ bounces: 0 })
    io.interrupt(1, 'pulse')
    await io.clock.advance(100)
    const before = io.timersStarted
    pressed.set({ pressForMs: 0.05 })
    await io.clock.advance(1000)
    expect(io.alertTimes()).toEqual([expect.closeTo(120.05, 6)])
    // The trigger, the report, and the trigger again.
    expect(io.timersStarted - before).toBeLessThanOrEqual(4)
  })

  it('bounces at the same times for the same seed, and at others for another', async () => {
    const run = async (seed: number): Promise<number[]> => {
      const { io, pressed } = withButton({ seed, bounces: 5, bounceMs: 50 })
      io.wiring.connect('5/1', noise({ frequencyHz: 300, lowVolts: 0, highVolts: 4, ohms: 5000, seed }))
      io.interrupt(1, 'rising')
      await io.clock.advance(100)
      pressed.set({ pressForMs: 300 })
      await io.clock.advance(1000)
      return io.alertTimes()
    }
    const first = await run(7)
    expect(first.length).toBeGreaterThan(3)
    expect(await run(7)).toEqual(first)
    expect(await run(8)).not.toEqual(first)
  })

  it('overloads an output after 2 ms if it shorts it, with or without bouncing', async () => {
    const io = powered()
    io.output(1, 'high')
    const shorting = io.wiring.connect('5/1', button({ bounces: 3, bounceMs: 1 }))
    shorting.set({ pressForMs: 1.9 })
    await io.clock.advance(1000)
    expect(io.alerts).toEqual([])
    shorting.set({ pressed: true })
    await io.clock.advance(100)
    // At the earliest at the first contact, at the latest when it has stopped bouncing.
    const [atMs] = io.alertTimes('highCurrentAlert', 1)
    expect(atMs).toBeGreaterThan(1022)
    expect(atMs).toBeLessThan(1023)
    expect(io.milliampere(1)).toBe(0)
  })
})
