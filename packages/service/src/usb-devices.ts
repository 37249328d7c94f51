import { coreErrors, type HostUsbDevice } from '@slotwire/core'
import { withDeadline } from '@slotwire/driver'
import type { ServiceContext } from './service-context.ts'

/** Longest wait for the host's list of USB devices, in milliseconds. */
export const USB_DEVICES_DEADLINE_MS = 2000

/** Makes what reads the host's USB devices for handlers. It throws `usbDevicesNotRead` when they cannot be had in time. */
export function usbDevicesReader({
  backplane,
  clock,
}: Pick<ServiceContext, 'backplane' | 'clock'>): () => Promise<readonly HostUsbDevice[]> {
  const late = (): Error => coreErrors.usbDevicesNotRead({ milliseconds: USB_DEVICES_DEADLINE_MS })
  return () => withDeadline(clock, USB_DEVICES_DEADLINE_MS, backplane.usbDevices(), late)
}
