import { vi } from 'vitest'
import type { FakeDevice } from '../../kernel/kernel-device.testkit.ts'
import { BootedSystem, type Outcome, SHOWN } from './booted-system.testkit.ts'

/** Folder with the copied package. */
const COPIED = '/srv/copied'
const RELEASED = { timeout: 60_000, interval: 50 }
/** Environment of a new root shell. */
const ENVIRONMENT = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8']

/**
 * Places the kernel's files as on a device: `/sys/class/sdbp` with its devices, `/sys/module/sdbpk`, `/dev/slotN`, a name in `/proc/devices`. Removes the
 * policy of containers that lets packages start nothing. Lets apt assume yes and skip recommended packages, because there is no network,
 * and use no terminal for its log.
 */
const DEVICE = `
for place in class/sdbp devices/virtual/sdbp module/sdbpk; do
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

/** A device with systemd, the modules of `FakeDevice` and a copied package, but without Slotwire. */
export class BareDevice {
  private constructor(
    readonly system: BootedSystem,
    private readonly device: FakeDevice,
  ) {}

  static async start(device: FakeDevice, packageFile: string): Promise<BareDevice> {
    const { root, present } = device.tree
    const script = `slots='${present.join(' ')}' copied='${packageFile}'\n${DEVICE}`
    return new BareDevice(await BootedSystem.start(root, script), device)
  }

  /** Runs what root types in the folder with the copied package. */
  type(commands: string): Promise<Outcome> {
    const shell = ['bash', '--norc', '-euo', 'pipefail', '-c', `cd ${COPIED}\n${commands}`]
    return this.system.run('env', '-i', ...ENVIRONMENT, ...shell)
  }

  /** `type` for commands that close every slot's file. Resolves when all can be opened again: pseudo-terminals need a moment. */
  async typeAndRelease(commands: string): Promise<Outcome> {
    const { tree } = this.device
    const closed = tree.closings.length
    const outcome = await this.type(commands)
    await vi.waitFor(() => {
      const isBusy = tree.present.some((slot) => tree.slot(slot).busy.size > 0)
      if (isBusy || tree.closings.length < closed + tree.present.length) throw new Error('a slot is not closed')
    }, RELEASED)
    return outcome
  }
}
