import type { Backplane, Clock, HostDevice, HostDeviceQuery } from '@slotwire/core'
import { withDeadline } from '@slotwire/driver'

/** Deadline for the list of the host's devices, in milliseconds. */
export const HOST_DEVICES_DEADLINE_MS = 2000

/** Lists devices on a bus of the host. Throws the error of `late` after `HOST_DEVICES_DEADLINE_MS`. */
export type HostDevices = (query: HostDeviceQuery, late: (milliseconds: number) => Error) => Promise<readonly HostDevice[]>

export function hostDevicesReader(backplane: Backplane, clock: Clock): HostDevices {
  return (query, late) =>
    withDeadline(clock, HOST_DEVICES_DEADLINE_MS, backplane.hostDevices(query), () => late(HOST_DEVICES_DEADLINE_MS))
}
