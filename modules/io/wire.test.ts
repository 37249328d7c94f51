import { ByteReader, ByteWriter, MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { commandsIn, fromHex, toHex } from '../../packages/sdbp/src/hex.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import type { IoNotification } from './wire.ts'
import * as wire from './wire.ts'

const { ioNotification } = wire
const ioCommands = commandsIn(wire)

describe('io wire, golden bytes and values near them', () => {
  describeVectors(ioCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.IO_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/io')
    expect(ioCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER && classIdentifier === 3)).toBe(
      true,
    )
  })
})

describe('io notification bytes', () => {
  const none: IoNotification = { customVoltageAlert: 0, highCurrentAlert: 0, underVoltageAlert: 0, highVoltageAlert: 0 }
  const cases: [string, string, IoNotification][] = [
    ['custom voltage alert on pin 1: bit 0 of byte 0', '01 00 00 00', { ...none, customVoltageAlert: 1 }],
    ['high current alert on pin 2: bit 1 of byte 1', '00 02 00 00', { ...none, highCurrentAlert: 2 }],
    ['under voltage alert on pin 5: bit 4 of byte 2', '00 00 10 00', { ...none, underVoltageAlert: 16 }],
    ['high voltage alert on pin 6: bit 5 of byte 3', '00 00 00 20', { ...none, highVoltageAlert: 32 }],
    [
      'all on all pins',
      '3F 3F 3F 3F',
      { customVoltageAlert: 63, highCurrentAlert: 63, underVoltageAlert: 63, highVoltageAlert: 63 },
    ],
  ]

  it.each(cases)('%s', (_, hex, masks) => {
    const writer = new ByteWriter()
    ioNotification.write(writer, masks, '')
    expect(toHex(writer.finish())).toBe(hex)
    expect(ioNotification.read(new ByteReader(fromHex(hex)), '')).toEqual(masks)
  })
})
