import { isRecord } from '@slotwire/core'
import type { Device } from '../client.ts'
import type { PinPowerText } from './values.ts'

/** What the device remembers of a pin. */
export interface PinState {
  /** `output high`, `analog`; undefined: not known. */
  readonly mode: string | undefined
  /** As in `5V/50mA`; undefined: none, or not known. */
  readonly power: string | undefined
  /** Whether it drives: a power configuration would end that. */
  readonly isDriven: boolean
  /** `null`: none; undefined: not known. */
  readonly configuration: PinPowerText | null | undefined
}

/** The pins of a module as the device last acknowledged them, by number; empty on a server without `/slotwire/`. */
export async function pinState(device: Device, slot: number, signal: AbortSignal): Promise<ReadonlyMap<number, PinState>> {
  if (!device.extensions) return new Map()
  const { modules } = await device.state({ signal })
  const state: unknown = modules.find((module) => module.slot === slot)?.state
  const pins = isRecord(state) && Array.isArray(state['pins']) ? state['pins'].filter(isRecord) : []
  return new Map(pins.map((pin) => [Number(pin['pin']), stateOf(pin)]))
}

function stateOf({ mode, output, power }: Readonly<Record<string, unknown>>): PinState {
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
