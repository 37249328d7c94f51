import { defineFault } from './fault.ts'

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

/** The module restarts by itself. */
export const reboot = defineFault<object>({
  kind: 'reboot',
  summary: 'the module restarts by itself',
  lasts: false,
  description: () => 'the module reboots',
  begin: () => (target) => {
    target.reboot()
    return undefined
  },
})
