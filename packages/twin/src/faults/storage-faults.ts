import { defineFault } from './fault.ts'

/** The module's storage is full: nothing can be saved while it lasts. */
export const fullStorage = defineFault<object>({
  kind: 'fullStorage',
  summary: 'the storage of the module is full: nothing can be saved',
  lasts: true,
  description: () => 'the storage is full',
  begin:
    () =>
    ({ memory }) =>
      memory.fill(),
})

/** What the module has saved becomes unreadable, until a factory reset or the next thing that is saved. */
export const corruptStorage = defineFault<object>({
  kind: 'corruptStorage',
  summary:
    'what the module has saved is unreadable: a mainboard is in emergency mode from its next start or save to a factory reset, others begin anew',
  lasts: false,
  description: () => 'the storage is corrupt',
  begin:
    () =>
    ({ memory }) => {
      memory.corrupt('made unreadable by the bench')
      return undefined
    },
})

/** What the module has saved is gone. It notices at its next start. */
export const memoryLoss = defineFault<object>({
  kind: 'memoryLoss',
  summary: 'what the module has saved is gone; it notices at its next start',
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
