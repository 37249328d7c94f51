import { type NamedPin, namedPin, quantityOf } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import type { Device } from '../client.ts'
import type { Row } from '../terminal/text.ts'
import type { NamedTarget, PinPowerText, Target } from './values.ts'
import type { DeviceCommandOptions } from './with-device.ts'

/** The pins of an io module. */
export const PINS: readonly number[] = [1, 2, 3, 4, 5, 6]

/** What the device remembers of a pin. */
export interface PinState {
  /** `output high`, `analog`; undefined: not known. */
  readonly mode: string | undefined
  /** As in `5V/50mA`; undefined: none, or not known. */
  readonly power: string | undefined
  /** What the operator calls it. */
  readonly named: NamedPin | undefined
  /** Whether it drives: a power configuration would end that. */
  readonly isDriven: boolean
  /** `null`: none; undefined: not known. */
  readonly configuration: PinPowerText | null | undefined
}

/** The place of a pin. A name is one of the operator's, in any case. */
export async function placeOf(device: Device, target: NamedTarget, signal: AbortSignal): Promise<Target> {
  if (typeof target !== 'string') return target
  const { slot, number } = await device.pin(target, { signal })
  return { slot, pin: number }
}

/** The pins that the operator named; none on a server without `/slotwire/`. */
export async function namedPins(device: Device, signal: AbortSignal): Promise<readonly NamedPin[]> {
  return device.extensions ? (await device.state({ signal })).modules.flatMap(({ pins = [] }) => pins) : []
}

/** The pins of a module as the device last acknowledged them, by number; empty on a server without `/slotwire/`. */
export async function pinState(device: Device, slot: number, signal: AbortSignal): Promise<ReadonlyMap<number, PinState>> {
  if (!device.extensions) return new Map()
  const { modules } = await device.state({ signal })
  const module = modules.find((each) => each.slot === slot)
  const state: unknown = module?.state
  const pins = isRecord(state) && Array.isArray(state['pins']) ? state['pins'].filter(isRecord) : []
  return new Map(pins.map((pin) => [Number(pin['pin']), { ...stateOf(pin), named: namedPin(module?.pins, Number(pin['pin'])) }]))
}

/** Units of readings, by `pin_type`. */
export const PIN_UNITS = { voltage_millivolt: 'mV', digital_input: '', frequency_hertz: 'Hz', current_milliampere: 'mA' } as const

type Reading = Parameters<typeof quantityOf>[0]

/** The cells that a named pin adds to a row: its name, and the quantity of the reading that its scale is for. People get one cell for it. */
export function namedCells(
  named: NamedPin | undefined,
  readings: readonly Reading[],
  format: DeviceCommandOptions['format'],
): Row {
  const quantity = readings.map((reading) => quantityOf(reading, named)).find((each) => each !== undefined)
  const cells = { name: named?.name, quantity: quantity?.value, quantity_unit: quantity?.unit }
  return format === 'table' ? { name: cells.name, quantity: quantity && `${quantity.value} ${quantity.unit}` } : cells
}

function stateOf({ mode, output, power }: Readonly<Record<string, unknown>>): Omit<PinState, 'named'> {
  const configuration = isRecord(power) ? (power as unknown as PinPowerText) : power === null ? null : undefined
  const level = isRecord(output) && typeof output['state'] === 'string' ? ` ${output['state']}` : ''
  return {
    mode: mode === 'unknown' ? undefined : `${String(mode)}${level}`,
    power: configuration ? powerText(configuration) : undefined,
    isDriven: mode === 'output' || mode === 'pwm',
    configuration,
  }
}

/** As users write it: `5V/50mA`. */
export function powerText({ rail, current_milliampere: current }: PinPowerText): string {
  return `${rail.replace('_volt', 'V')}/${current}mA`
}
