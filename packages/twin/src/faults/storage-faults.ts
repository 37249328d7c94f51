import type { Fault } from './fault.ts'

/** The module's storage is full: nothing can be saved while it lasts. */
export function fullStorage(): Fault {
  return {
    description: 'the storage is full',
    begin: ({ memory }) => {
      memory.full = true
      return () => {
        memory.full = false
      }
    },
  }
}

/** What the module has saved becomes unreadable, until a factory reset or the next thing that is saved. */
export function corruptStorage(): Fault {
  return {
    description: 'the storage is corrupt',
    begin: ({ memory }) => {
      memory.corrupt('made unreadable by the bench')
      return undefined
    },
  }
}

/** What the module has saved is gone. It notices at its next start. */
export function memoryLoss(): Fault {
  return {
    description: 'the memory is lost',
    begin: ({ memory }) => {
      memory.clear()
      return undefined
    },
  }
}

/** The module restarts by itself. */
export function reboot(): Fault {
  return {
    description: 'the module reboots',
    begin: (target) => {
      target.reboot()
      return undefined
    },
  }
}
