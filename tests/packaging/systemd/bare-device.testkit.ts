import { vi } from 'vitest'
import type { FakeDevice } from '../../kernel/kernel-device.testkit.ts'
import { BootedSystem, type Outcome, SHOWN } from './booted-system.testkit.ts'

/** Where the package was copied to. */
const COPIED = '/srv/copied'
const RELEASED = { timeout: 60_000, interval: 50 }
/** Of a shell that root has just opened. */
const ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8']

/**
 * Puts the kernel's files where they are on a device: `/sys/class/sdbp`, `/sys/module/sdbpk`, `/dev/slotN`, a name in `/proc/devices`. Of
 * containers only is a policy by which packages start nothing at all; it goes. The administrator answers yes to apt, and needs no package that is
 * only recommended: there is no network to fetch one from. A terminal for apt's log there is none.
 */
const DEVICE = `
for place in class/sdbp module/sdbpk; do
  mkdir -p $1/sys/$place
  mount -t overlay overlay -o lowerdir=$1/sys/\${place%/*}:/sys/\${place%/*} $root/sys/\${place%/*}
  mount --bind $root${SHOWN}/sys/$place $root/sys/$place
done
for slot in $slots; do ln -s ${SHOWN}/dev/slot$slot $root/dev/slot$slot; done
sed '/^Character devices:/a 136 sdbp_class' /proc/devices >$1/devices
mount --bind $1/devices $root/proc/devices
rm -f $root/usr/sbin/policy-rc.d
echo 'APT::Get::Assume-Yes "true"; APT::Install-Recommends "false"; Dpkg::Use-Pty "false";' >$root/etc/apt/apt.conf.d/99test
mkdir $root${COPIED}
cp "$copied" $root${COPIED}/
`

/** A device with systemd and the modules of `FakeDevice`, to which a package was copied, and no Slotwire. */
export class BareDevice {
  readonly system: BootedSystem
  readonly #device: FakeDevice

  private constructor(system: BootedSystem, device: FakeDevice) {
    this.system = system
    this.#device = device
  }

  static async start(device: FakeDevice, packageFile: string): Promise<BareDevice> {
    const { root, present } = device.tree
    const script = `slots='${present.join(' ')}' copied='${packageFile}'\n${DEVICE}`
    return new BareDevice(await BootedSystem.start(root, script), device)
  }

  /** What root types, in the folder to which the package was copied. */
  type(commands: string): Promise<Outcome> {
    const shell = ['bash', '--norc', '-euo', 'pipefail', '-c', `cd ${COPIED}\n${commands}`]
    return this.system.run('env', '-i', ...ENVIRONMENT, ...shell)
  }

  /** `type` for what has every slot's file closed; resolves when all can be opened again: pseudo-terminals need a moment for that. */
  async typeAndRelease(commands: string): Promise<Outcome> {
    const { tree } = this.#device
    const closed = tree.closings.length
    const outcome = await this.type(commands)
    await vi.waitFor(() => {
      const isBusy = tree.present.some((slot) => tree.slot(slot).busy.size > 0)
      if (isBusy || tree.closings.length < closed + tree.present.length) throw new Error('a slot is not closed')
    }, RELEASED)
    return outcome
  }
}
