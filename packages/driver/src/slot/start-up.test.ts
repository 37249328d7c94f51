import { encodeRefusal, setSclkSpeed } from '@slotwire/sdbp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { device, usable } from '../rack/rack.testkit.ts'
import { relayDescriptor } from './fake-module.testkit.ts'
import { bench } from './slot.testkit.ts'
import { descriptorFault, MAX_SCLK_KHZ, MIN_MAX_SCLK_KHZ, MIN_SCLK_KHZ, sclkSpeedFor } from './start-up.ts'

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

const version = (major: number) => ({ major, minor: 0, patch: 0 })

describe('a descriptor', () => {
  it.each([
    ['protocol 1', { protocolVersion: version(1) }],
    ['protocol 0', { protocolVersion: version(0) }],
    ['the slowest clock', { maxSclkSpeedKhz: 16_000 }],
    ['a clock faster than any that is set', { maxSclkSpeedKhz: 4_294_967_295 }],
    ['the smallest frame', { maxFrameSize: 64 }],
    ['the largest frame', { maxFrameSize: 65_535 }],
    ['the most power', { maxPower3v3: 65_535, maxPower5v0: 65_535, maxPower12v: 65_535 }],
  ])('is within the bounds with %s', (_, values) => expect(descriptorFault({ ...relayDescriptor, ...values })).toBeUndefined())

  it.each([
    [{ protocolVersion: version(2) }, 'protocol_version 2.0.0 is not supported: major versions below 2 are'],
    [{ firmware: { stability: 'S', version: version(2) } }, 'fw_version 2.0.0 is not supported: major version 1 is'],
    [{ firmware: { stability: 'S', version: version(0) } }, 'fw_version 0.0.0 is not supported: major version 1 is'],
    [{ maxSclkSpeedKhz: 15_999 }, 'max_sclk_speed 15999 is out of range: at least 16000 kHz'],
    [{ maxFrameSize: 63 }, 'max_frame_size 63 is out of range: 64…65535 bytes'],
    [{ maxFrameSize: 65_536 }, 'max_frame_size 65536 is out of range: 64…65535 bytes'],
    [{ maxPower3v3: 65_536 }, 'max_power_3v3 65536 is out of range: 0…65535 mW'],
    [{ maxPower5v0: 70_000 }, 'max_power_5v0 70000 is out of range: 0…65535 mW'],
    [{ maxPower12v: 65_536 }, 'max_power_12v 65536 is out of range: 0…65535 mW'],
  ] as const)(
    'out of bounds makes a module incompatible: it is not opened, and one warning gives the reason (%j)',
    async (values, reason) => {
      const { clock, backplane, rack, log } = device()
      backplane.plug(3, values)
      await rack.start()
      await clock.advance(60_000)
      expect(usable(rack)).toEqual([])
      expect(rack.inventory()).toMatchObject([{ slot: 3, state: 'incompatible' }])
      expect(backplane.opened).toEqual([])
      expect(log.linesOf('warn')).toEqual([{ level: 'warn', fields: { slot: 3, reason }, message: 'module is not usable' }])
      backplane.unplug(3)
      backplane.plug(3)
      await clock.advance(0)
      expect(usable(rack)).toEqual([3])
      await rack.stop()
    },
  )
})
