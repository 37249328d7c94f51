import type { Fault } from './fault.ts'
import { crcErrors, duplicatedFrames, lateFrames, lostFrames } from './frame-faults.ts'
import { endlessWait, garbage, hang, wrongClass } from './module-faults.ts'
import { corruptStorage, fullStorage, memoryLoss, reboot } from './storage-faults.ts'

/** Every kind of fault by its name: for whoever makes them of names and figures. */
export const faultKinds = {
  corruptStorage,
  crcErrors,
  duplicatedFrames,
  endlessWait,
  fullStorage,
  garbage,
  hang,
  lateFrames,
  lostFrames,
  memoryLoss,
  reboot,
  wrongClass,
} as const

/** A fault of a kind and of settings that nobody has checked yet. Throws `RangeError` that names what does not fit, and what would. */
export function faultFrom(kind: string, settings: Readonly<Record<string, unknown>>): Fault {
  const found = Object.values(faultKinds).find((each) => each.kind === kind)
  if (found === undefined) throw new RangeError(`there is no fault ${kind}: ${Object.keys(faultKinds).join(', ')}`)
  return found.from(settings)
}
