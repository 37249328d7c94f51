import { stat } from 'node:fs/promises'
import { type Check, ok, warning } from '../check.ts'
import { namesIn, reasonOf, shellWord } from '../host/files.ts'
import { ENTER, formatRights, mayUse, READ } from '../host/permission.ts'

export const usbCheck: Check = {
  name: 'USB devices',
  group: 'Hardware',
  isForHardware: true,
  subject: ({ roots }) => `${roots.sys}/bus/usb/devices`,
  run: async ({ roots, user }) => {
    const folder = `${roots.sys}/bus/usb/devices`
    const rights = await stat(folder).catch(reasonOf)
    if (rights === 'ENOENT') {
      return [warning(`${folder} does not exist: no USB device can be shown`, 'Have the kernel offer USB: modprobe usbcore.')]
    }
    if (typeof rights === 'string' || !mayUse(rights, user, READ | ENTER)) {
      const why = typeof rights === 'string' ? rights : formatRights(rights)
      return [warning(`${user.name} may not list ${folder} (${why})`, `Let everybody list it: chmod a+rx ${shellWord(folder)}.`)]
    }
    const devices = ((await namesIn(folder)) ?? []).filter((name) => !name.includes(':'))
    return [ok(`${devices.length} found`)]
  },
}
