// `import { expect, test } from 'slotwire/vitest'`; docs/guide/twin-in-code.md.
import { ManualClock } from '@slotwire/core'
import { createTwin, type Twin, type TwinOptions } from '@slotwire/device/twin'
import { expect, test as plainTest } from 'vitest'
import { connect, type Device } from './client.ts'

export interface TwinFixtures {
  /** Options of the twin: `test.extend({ twinOptions: { layout: { 3: 'io' } } })`. Default: the default device. */
  readonly twinOptions: Omit<TwinOptions, 'clock'>
  /** A started twin of this test, whose time stands still until `twin.clock.advance`. */
  readonly twin: Twin<ManualClock>
  /** A client of this twin. */
  readonly device: Device
}

/** vitest's `test`, whose tests have a twin and a client of their own. */
export const test = plainTest.extend<TwinFixtures>({
  twinOptions: {},
  twin: async ({ twinOptions }, use) => {
    const twin = await createTwin({ ...twinOptions, clock: new ManualClock() })
    await twin.start()
    await use(twin)
    await twin.close()
  },
  device: async ({ twin }, use) => {
    const device = await connect(twin)
    await use(device)
    await device.close()
  },
})

/** Voltages closer than this are equal, unless a test says another tolerance, in volts. */
const TOLERANCE_VOLTS = 0.01

interface PinMatchers<Result> {
  /** Of a pin at the bench: its voltage, within a tolerance of 10 mV or another. */
  toHaveVolts(volts: number, tolerance?: number): Result
  /** Of a pin of the client: what it reads now, in the unit of its mode, within a tolerance of 0 or another. Await it. */
  toRead(value: number, tolerance?: number): Promise<Result>
}

declare module 'vitest' {
  interface Matchers<T> extends PinMatchers<T> {}
}

expect.extend({
  toHaveVolts: ({ volts }: { readonly volts?: number }, expected: number, tolerance = TOLERANCE_VOLTS) => {
    if (volts === undefined) throw new TypeError('toHaveVolts is for a pin of the bench: twin.bench.pin(3, 1)')
    return compared('the pin has', Number(volts.toFixed(6)), expected, tolerance, 'V')
  },
  toRead: async (pin: Partial<Pick<ReturnType<ReturnType<Device['io']>['pin']>, 'value'>>, expected: number, tolerance = 0) => {
    if (pin.value === undefined) throw new TypeError('toRead is for a pin of the client: device.io(3).pin(1)')
    const { value } = await pin.value({ fresh: true })
    return compared('the pin reads', value, expected, tolerance, '')
  },
})

function compared(what: string, actual: number, expected: number, tolerance: number, unit: string) {
  if (!(tolerance >= 0)) throw new RangeError(`the tolerance is ${tolerance}: give 0 or more`)
  const pass = Math.abs(actual - expected) <= tolerance
  const wanted = `${expected} ± ${tolerance} ${unit}`.trim()
  return {
    pass,
    actual,
    expected,
    message: () => `${what} ${`${actual} ${unit}`.trim()}, ${pass ? 'not wanted' : 'wanted'}: ${wanted}`,
  }
}

export { expect }
