import { type Element, noise, sineWave, squareWave, triangleWave } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { BareIoModule } from './firmware.testkit.ts'

const ohms = 1000
const SECOND_MS = 1000
/** One interrupt for each burst. */
const DEBOUNCE_MS = 10

/** A module with these elements on pin 1. */
function moduleWith(...elements: readonly Element[]): BareIoModule {
  const io = new BareIoModule()
  for (const element of elements) io.wiring.connect('5/1', element)
  return io
}

it.each([2100, 10_000, 50_000, 1_000_000])(
  'a fast wave that a slow one lets pass half of the time is counted with half of its %i Hz at every reading',
  async (frequencyHz) => {
    const slow = squareWave({ frequencyHz: 2, lowVolts: -6, highVolts: 0, ohms })
    const io = moduleWith(squareWave({ frequencyHz, lowVolts: 0, highVolts: 6, ohms }), slow)
    io.mode(1, 'digital')
    io.counter(1, 'enabled')
    await io.clock.advance(SECOND_MS)
    for (let reading = 0; reading < 40; reading++) {
      await io.clock.advance(123.456_789)
      expect(Math.abs(io.value(1)[1] - frequencyHz / 2)).toBeLessThanOrEqual(1)
    }
  },
)

describe.each([100_000, 200_000, 500_000, 960_000])('bursts of 0.5 ms of a wave of %i Hz', (frequencyHz) => {
  const fast = { squareWave, sineWave, triangleWave }
  const levels = { lowVolts: -6, highVolts: 0, ohms }
  const slow = {
    'square wave': squareWave({ frequencyHz: 50, duty: 0.025, phaseDegrees: -90, ...levels }),
    triangle: triangleWave({ frequencyHz: 50, ...levels, highVolts: -0.85 }),
  }

  it.each(Object.keys(fast).flatMap((wave) => Object.keys(slow).map((gate) => [wave, gate] as const)))(
    'raise 50 of 50 interrupts: %s behind a %s',
    async (wave, gate) => {
      const of = { frequencyHz, lowVolts: 0, highVolts: 6, ohms }
      const io = moduleWith(fast[wave as keyof typeof fast](of), slow[gate as keyof typeof slow])
      io.mode(1, 'digital')
      io.interrupt(1, 'rising', DEBOUNCE_MS)
      await io.clock.advance(SECOND_MS + 19)
      expect(io.alertTimes('customVoltageAlert', 1)).toHaveLength(50)
      expect(io.timersStarted).toBeLessThan(500)
    },
  )
})

describe('45 V for 2 ms every 100 ms behind a fast wave of 10 V', () => {
  it.each([squareWave, sineWave, triangleWave])('raise an alert in each of 5 seconds: $kind', async (kind) => {
    const bursts = squareWave({ frequencyHz: 10, lowVolts: 0, highVolts: 45, duty: 0.02, ohms, phaseDegrees: -90 })
    const io = moduleWith(kind({ frequencyHz: 960_000, lowVolts: 0, highVolts: 10, ohms }), bursts)
    await io.clock.advance(5 * SECOND_MS)
    expect(io.alertTimes('highVoltageAlert', 1)).toHaveLength(5)
    expect(io.timersStarted).toBeLessThan(100)
  })

  it('raise one alert although three waves meet rarely', async () => {
    const gate = squareWave({ frequencyHz: 997, lowVolts: 0, highVolts: 20, duty: 0.1, ohms })
    const bursts = squareWave({ frequencyHz: 0.01, lowVolts: 0, highVolts: 50, duty: 0.001, ohms, phaseDegrees: -180 })
    const io = moduleWith(squareWave({ frequencyHz: 960_000, lowVolts: 0, highVolts: 10, ohms }), gate, bursts)
    await io.clock.advance(100 * SECOND_MS)
    expect(io.alertTimes('highVoltageAlert', 1)).toHaveLength(1)
    expect(io.timersStarted).toBeLessThan(500)
  })
})

it('a counter beside slow noise shows the same at every reading of the same second, and what its tenths add up to', async () => {
  const slow = noise({ frequencyHz: 50, lowVolts: -6, highVolts: 6, ohms })
  const io = moduleWith(squareWave({ frequencyHz: 100_000, lowVolts: 0, highVolts: 6, ohms }), slow)
  io.mode(1, 'digital')
  io.counter(1, 'enabled')
  let before = 0
  for (let tenth = 1; tenth <= 10; tenth++) {
    await io.clock.advance(100)
    const now = io.value(1)[1]
    expect(now).toBe(io.value(1)[1])
    expect(now - before).toBeGreaterThanOrEqual(0)
    expect(now - before).toBeLessThanOrEqual(10_000)
    before = now
  }
})
