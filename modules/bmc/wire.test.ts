import { MODULE_CLASS_IDENTIFIER } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import * as wire from './wire.ts'

const bmcCommands = commandsIn(wire)

describe('bmc wire, golden bytes and values near them', () => {
  describeVectors(bmcCommands, readVectors(new URL('./vectors.json', import.meta.url)))

  it('requires its exact vendor_product_id, and uses class identifier 3', () => {
    expect(wire.BMC_VENDOR_PRODUCT_ID).toBe('modules.noreya.tech/bmc')
    expect(bmcCommands.every(({ classIdentifier }) => classIdentifier === MODULE_CLASS_IDENTIFIER)).toBe(true)
  })

  it('does not repeat SW_SHUTDOWN after a failed exchange, but repeats all other commands', () =>
    expect(bmcCommands.filter(({ repeatable }) => !repeatable)).toEqual([wire.softwareShutdown]))
})
