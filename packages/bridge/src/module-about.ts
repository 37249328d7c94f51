import type { Device } from '@slotwire/client'
import type { ModulePlace, NamedPlace } from './metric.ts'

/** A module of a device, from its descriptor. */
export interface ModuleAbout extends NamedPlace {
  readonly type: string
  readonly product: string
  readonly serial: string
  readonly firmware: string
}

/** Longest text of a descriptor. */
export const MAX_TEXT_CHARACTERS = 100

/** A module by its descriptor; without an answer what is known of it. */
export async function aboutOf(
  device: Device,
  { service, slot }: ModulePlace,
  known: readonly ModuleAbout[],
  signal: AbortSignal,
): Promise<ModuleAbout> {
  try {
    const { fw_version: firmware, ...texts } = await device.module(service, slot).descriptor({ signal })
    const { major, minor, patch } = firmware.version
    const textOf = (value: unknown): string => String(value).slice(0, MAX_TEXT_CHARACTERS)
    return {
      slot,
      service,
      type: textOf(texts.vendor_product_id),
      product: textOf(texts.product_name),
      serial: textOf(texts.serial_code),
      firmware: textOf(`${major}.${minor}.${patch}`),
    }
  } catch {
    const earlier = known.find((about) => about.service === service && about.slot === slot)
    return earlier ?? { slot, service, type: '', product: '', serial: '', firmware: '' }
  }
}
