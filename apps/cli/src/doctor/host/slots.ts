import { join } from 'node:path'
import { allServices } from '@slotwire/device'
import { attributeValue } from '@slotwire/driver/kernel'
import type { Installation } from '../installation.ts'
import { namesIn, readText } from './files.ts'

/** A slot with a module in it. */
export interface OccupiedSlot {
  readonly name: string
  /** `/sys/class/sdbp/slotN` */
  readonly folder: string
  /** `/dev/slotN`; never opened here: closing it would stop the module. */
  readonly file: string
}

/** The slots that hold modules, in order. Rejects with the system's error. */
export async function occupiedSlots({ roots }: Installation): Promise<readonly OccupiedSlot[]> {
  const names = (await namesIn(slotsFolder({ roots }))) ?? []
  return names
    .filter((name) => /^slot[0-7]$/.test(name))
    .map((name) => ({
      name: name.replace('slot', 'slot '),
      folder: join(slotsFolder({ roots }), name),
      file: join(roots.dev, name),
    }))
}

/** Those with modules that the services of this installation drive; every other slot is left to whoever drives it. */
export async function drivenSlots(installation: Installation): Promise<readonly OccupiedSlot[]> {
  const slots = await occupiedSlots(installation)
  const isDriven = await Promise.all(slots.map((slot) => isToBeDriven(slot, installation)))
  return slots.filter((_slot, index) => isDriven[index])
}

/** What cannot be told at present, while a descriptor is updated for one, may be to be driven. */
async function isToBeDriven(slot: OccupiedSlot, { services }: Installation): Promise<boolean> {
  const type = await typeIn(slot)
  return type === undefined || typesOf(services).includes(type)
}

/** `vendor_product_id` of the module in a slot; undefined: it cannot be read. */
async function typeIn({ folder }: OccupiedSlot): Promise<string | undefined> {
  const content = await readText(`${folder}/vendor_product_id`).catch(() => undefined)
  return content === undefined ? undefined : attributeValue(content)
}

/** The first of these slots whose module is of one of the types; undefined: none is, as far as can be read. */
export async function slotHolding(types: readonly string[], slots: readonly OccupiedSlot[]): Promise<OccupiedSlot | undefined> {
  const found = await Promise.all(slots.map(typeIn))
  return slots.find((_slot, index) => types.includes(found[index] ?? ''))
}

/** 0 to 7. */
export function numberOf({ name }: Pick<OccupiedSlot, 'name'>): number {
  return Number(name.replace(/\D/g, ''))
}

/** `vendor_product_id`s that services of these names drive. */
export function typesOf(services: readonly string[]): readonly string[] {
  return allServices.filter(({ contract }) => services.includes(contract.service)).map(({ vendorProductId }) => vendorProductId)
}

/** Where the kernel lists them. */
export function slotsFolder({ roots }: Pick<Installation, 'roots'>): string {
  return join(roots.sys, 'class', 'sdbp')
}
