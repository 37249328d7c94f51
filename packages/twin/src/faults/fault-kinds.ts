import type { Fault } from './fault.ts'
import { crcErrors, duplicatedFrames, lateFrames, lostFrames } from './frame-faults.ts'
import { endlessWait, garbage, hang, wrongClass } from './module-faults.ts'
import { corruptStorage, fullStorage, memoryLoss, reboot } from './storage-faults.ts'

/** All kinds of faults by name. */
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

/** Makes a fault from a kind and unchecked settings. Throws `RangeError` that names the invalid setting and its bounds. */
export function faultFrom(kind: string, settings: Readonly<Record<string, unknown>>): Fault {
  const found = Object.values(faultKinds).find((each) => each.kind === kind)
  if (found === undefined) throw new RangeError(`there is no fault ${kind}: ${Object.keys(faultKinds).join(', ')}`)
  return found.from(settings)
}
