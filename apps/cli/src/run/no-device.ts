import type { Backplane } from '@slotwire/core'
import type { PowerGate } from '@slotwire/driver'
import type { ServedRack } from '@slotwire/service'

/** The rack of a process that drives no module. */
export const emptyRack: ServedRack = {
  driverSession: '',
  state: 'up',
  ready: true,
  usable: () => [],
  find: () => undefined,
  inventory: () => [],
  refuseWaiting: () => undefined,
}

/** A device without slots. */
export const emptyBackplane: Backplane = {
  kernelDriver: { major: 0, minor: 0, patch: 0 },
  state: 'up',
  present: () => [],
  descriptor: nothingThere,
  powerDescriptors: async () => new Map(),
  open: nothingThere,
  usbDevices: async () => [],
  subscribe: () => () => undefined,
}

/** Nobody asks for power where there is no module. */
export const noPower: PowerGate = { apply: nothingThere }

async function nothingThere(): Promise<never> {
  throw new Error('this process drives no module')
}
