import { MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import * as wire from './wire.ts'

const powerCommands = commandsIn(wire)

describe('power wire, golden bytes and values near them', () => {
  describeVectors(powerCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.POWER_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/power')
    expect(powerCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER)).toBe(true)
  })

  it('has no status byte in any reply', () => expect(powerCommands.every(({ statuses }) => statuses === undefined)).toBe(true))
})
