import { type Check, failure, ok } from './check.ts'
import { linesOf } from './files.ts'

/** Under which the kernel driver's files are known to the kernel, and to systemd's DeviceAllow=. */
const DRIVER_NAMES = ['serial_device_bus_protocol', 'sdbp_class']

export const driverNameCheck: Check = {
  name: 'device driver',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `${roots.proc}/devices`,
  run: async ({ roots }) => {
    const names = (await linesOf(`${roots.proc}/devices`)).map((line) => line.trim().split(/\s+/)[1] ?? '')
    const found = DRIVER_NAMES.filter((name) => names.includes(name))
    if (found.length > 0) return [ok(`char-${found.join(', char-')}`)]
    const remedy = 'Load the kernel driver anew, and see what it says: modprobe -r sdbpk; modprobe sdbpk; dmesg | grep -i sdbp.'
    return [failure(`neither ${DRIVER_NAMES.join(' nor ')} is registered: systemd would let nobody open a slot`, remedy)]
  },
}
