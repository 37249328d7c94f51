import type { Backplane, Clock, HostDevice, HostDeviceQuery } from '@slotwire/core'
import { withDeadline } from '@slotwire/driver'

/** Longest wait for the host's list of devices, in milliseconds. */
export const HOST_DEVICES_DEADLINE_MS = 2000

/** Reads what is on a bus of the device's own computer; throws what `late` gives when that takes too long. */
export type HostDevices = (query: HostDeviceQuery, late: (milliseconds: number) => Error) => Promise<readonly HostDevice[]>

export function hostDevicesReader(backplane: Backplane, clock: Clock): HostDevices {
  return (query, late) =>
    withDeadline(clock, HOST_DEVICES_DEADLINE_MS, backplane.hostDevices(query), () => late(HOST_DEVICES_DEADLINE_MS))
}
