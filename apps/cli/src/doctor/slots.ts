import { join } from 'node:path'
import { namesIn } from './files.ts'
import type { Installation } from './installation.ts'

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

/** Where the kernel lists them. */
export function slotsFolder({ roots }: Pick<Installation, 'roots'>): string {
  return join(roots.sys, 'class', 'sdbp')
}
