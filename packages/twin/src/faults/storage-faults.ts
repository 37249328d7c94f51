import { inMs } from '../settings/quantities.ts'
import { defineFault } from './fault.ts'

/** Bounds of the time for which the interrupt line of a restarting module is low, in ms. */
const LOW_MS = { min: 0, max: 10_000 }

/** The module's storage is full: saving fails while it lasts. */
export const fullStorage = defineFault<object>({
  kind: 'fullStorage',
  summary: 'the storage of the module is full: saving fails',
  lasts: true,
  description: () => 'the storage is full',
  begin:
    () =>
    ({ memory }) =>
      memory.fill(),
})

/** The saved data becomes unreadable until a factory reset or the next save. */
export const corruptStorage = defineFault<object>({
  kind: 'corruptStorage',
  summary:
    'the saved data cannot be read: the mainboard enters emergency mode at its next start or save, and leaves it after a factory reset; other modules start without their saved data',
  lasts: false,
  description: () => 'the storage is corrupt',
  begin:
    () =>
    ({ memory }) => {
      memory.corrupt('made unreadable by the bench')
      return undefined
    },
})

/** The saved data is lost. The module detects this at its next start. */
export const memoryLoss = defineFault<object>({
  kind: 'memoryLoss',
  summary: 'the saved data is lost; the module detects this at its next start',
  lasts: false,
  description: () => 'the memory is lost',
  begin:
    () =>
    ({ memory }) => {
      memory.clear()
      return undefined
    },
})

/** The module waits in its bootloader, as after an update that failed. */
export const bootloader = defineFault<object>({
  kind: 'bootloader',
  summary: 'the module is in bootloader mode',
  lasts: true,
  description: () => 'the module is in bootloader mode',
  begin: () => (target) => {
    target.reboot(0, 'bootloader')
    return () => target.reboot(0)
  },
})

/** The module restarts by itself. */
export const reboot = defineFault<{ readonly lowMs?: number }, 'lowMs'>({
  kind: 'reboot',
  summary: 'the module restarts by itself',
  fields: {
    lowMs: inMs('how long its interrupt line is low: the host may miss up to 300 ms; 0: the host sees it leave and return', {
      ...LOW_MS,
      default: 0,
    }),
  },
  primary: 'lowMs',
  lasts: false,
  description: () => 'the module reboots',
  begin:
    ({ lowMs }) =>
    (target) => {
      target.reboot(lowMs)
      return undefined
    },
})
