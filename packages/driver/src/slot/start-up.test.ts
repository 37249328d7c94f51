import { encodeRefusal, setSclkSpeed } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench } from './slot.testkit.ts'
import { MAX_SCLK_KHZ, MIN_MAX_SCLK_KHZ, MIN_SCLK_KHZ, sclkSpeedFor } from './start-up.ts'

function kilohertzSent(payload: Uint8Array | undefined): number | undefined {
  return payload === undefined ? undefined : new DataView(payload.buffer, payload.byteOffset).getUint32(3)
}

describe('the start of a module', () => {
  it('reads the firmware version, raises SCLK to the maximum, and runs the module in its initial state', async () => {
    const { module, slot } = bench()
    await slot.start()
    const restart = ['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN']
    expect(module.names({ heartbeats: true })).toEqual(['FW_VERSION', 'SET_SCLK_SPEED', ...restart])
    expect(kilohertzSent(module.sent[1]?.payload)).toBe(16_000)
  })

  it.each([
    [400, 400],
    [99, 100],
  ])('respects a configured cap of %i kHz, but at least 100: it sets %i', async (sclkCapKhz, khz) => {
    const { module, slot } = bench({ sclkCapKhz })
    await slot.start()
    expect(kilohertzSent(module.sent[1]?.payload)).toBe(khz)
  })

  it('never sends a speed out of range', () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: MIN_MAX_SCLK_KHZ, max: 100_000 }), fc.integer({ min: MIN_MAX_SCLK_KHZ, max: 0xff_ff_ff_ff })),
        fc.option(fc.double({ min: 0, max: 100_000, noNaN: true })),
        (max, cap) => {
          expect(sclkSpeedFor(max, cap ?? undefined)).toSatisfy(
            (khz: number) => Number.isInteger(khz) && khz >= MIN_SCLK_KHZ && khz <= Math.min(max, MAX_SCLK_KHZ),
          )
        },
      ),
    ))

  it('never exceeds the limit of the bus, even if the module allows more', async () => {
    const { module, slot } = bench({ descriptor: { maxSclkSpeedKhz: 0xff_ff_ff_ff } })
    await slot.start()
    expect(kilohertzSent(module.sent[1]?.payload)).toBe(50_000)
  })

  it('continues at the old speed when the module refuses the new one', async () => {
    const { module, slot } = bench()
    module.misbehave(() => encodeRefusal(setSclkSpeed, 1), { name: 'SET_SCLK_SPEED' })
    await slot.start()
    expect(module.count('MODE_RUN')).toBe(1)
  })

  it.each([0, 2])('refuses firmware with major version %i: 1 is supported', async (major) => {
    const { module, slot } = bench()
    module.firmwareMajor = major
    await expect(slot.start()).rejects.toMatchObject({
      name: 'FirmwareNotSupported',
      message: expect.stringContaining(`${major}.2.3`) as string,
    })
    expect(module.count('MODE_RUN')).toBe(0)
  })
})
