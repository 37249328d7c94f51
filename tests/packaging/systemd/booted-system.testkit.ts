import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { inRoot } from '../../../tools/setup/root.mjs'
import { writeUnits } from './unit-root.testkit.ts'

/** Paths of this clone and this Node.js. The system has them elsewhere: units do not see /home and have a private /tmp. */
const CLONE = inRoot().replace(/\/$/, '')
const CLONE_THERE = '/srv/clone'
const NODE_THERE = '/srv/node'
/** User and group id of the service, in a root where those of the package may be taken. */
const USER_ID = 61_990
export const HOST_NAME = 'slotwire-test'
/** Network address of the system. */
export const ADDRESS = '192.0.2.7'
/** Folder in the system with the files of a test. */
export const SHOWN = '/srv/shown'
const STARTED = { timeout: 60_000, interval: 100 }

/** Units of the host that must not run in a system that shares its hardware. */
const MASKED = [
  ...['systemd-udevd', 'systemd-udev-trigger', 'systemd-udev-settle', 'systemd-modules-load', 'systemd-sysctl', 'systemd-binfmt'],
  ...[
    ...'systemd-hwdb-update systemd-networkd systemd-resolved systemd-timesyncd keyboard-setup'.split(' '),
    ...'console-setup apparmor'.split(' '),
  ],
].map((name) => `${name}.service`)
const MASKED_MOUNTS = [
  ...[
    ...'dev-hugepages dev-mqueue sys-kernel-debug sys-kernel-tracing sys-kernel-config'.split(' '),
    ...'sys-fs-fuse-connections'.split(' '),
  ].map((name) => `${name}.mount`),
  'proc-sys-fs-binfmt_misc.automount',
]

/** Makes the system's root from this machine's root, through an overlay in memory, and continues as systemd. */
const ROOT = `set -e
root=$1/root
mount -t tmpfs tmpfs $1/memory
mkdir $1/memory/upper $1/memory/work
mount -t overlay overlay -o lowerdir=/,upperdir=$1/memory/upper,workdir=$1/memory/work $root
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
mount -t cgroup2 cgroup2 $root/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $root/dev
for device in null zero full random urandom tty; do touch $root/dev/$device; mount --bind /dev/$device $root/dev/$device; done
mkdir $root/dev/pts $root/dev/shm
mount --bind /dev/pts $root/dev/pts
mount -t tmpfs -o mode=755 tmpfs $root/run
mount -t tmpfs tmpfs $root/tmp
mount -t tmpfs tmpfs $root/etc/systemd/system
mkdir -p $root${SHOWN} $root/old
mount --bind $2 $root${SHOWN}
cp -r $1/files/. $root/
eval "$3"
for unit in ${[...MASKED, ...MASKED_MOUNTS].join(' ')}; do ln -s /dev/null $root/etc/systemd/system/$unit; done
ip link set lo up
ip link add lan0 type veth peer name lan1 && ip link set lan1 up && ip addr add ${ADDRESS}/24 dev lan0 && ip link set lan0 up multicast on
cd $root
pivot_root . old
umount -l /old
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=basic.target systemd.unified_cgroup_hierarchy=1
`

/** Namespaces and a cgroup for the system. */
const BOOT = `set -e
work=$1 shown=$2
mount --make-rprivate /
mount -t cgroup2 cgroup2 $work/cgroup
mkdir $work/cgroup/slotwire-$$
echo $$ > $work/cgroup/slotwire-$$/cgroup.procs
echo slotwire-$$ > $work/name
exec unshare --cgroup --pid --uts --ipc --net --mount --fork --kill-child bash -c "$3" root $work $shown "$4"`

/** The program, and a user and a state folder like those of the package. */
const INSTALLED = `mount -t tmpfs tmpfs $root/var/lib
mkdir $root${CLONE_THERE} && mount --bind '${CLONE}' $root${CLONE_THERE}
mkdir -p $root'${CLONE}' && mount -t tmpfs tmpfs $root'${CLONE}'
touch $root${NODE_THERE} && mount --bind '${process.execPath}' $root${NODE_THERE}
echo "slotwire:x:${USER_ID}:" >> $root/etc/group
echo "slotwire:x:${USER_ID}:${USER_ID}::/var/lib/slotwire:/usr/sbin/nologin" >> $root/etc/passwd`

/** Removes the cgroup after its last process has ended. */
const CLEAR = `mount -t cgroup2 cgroup2 $1/cgroup && find $1/cgroup/$(cat $1/name) -depth -type d -exec rmdir {} +`

/** Result of a program in the system. */
export interface Outcome {
  readonly code: number | null
  readonly output: string
}

/**
 * systemd as the first process of a separate system on this machine, with the units and the built program installed. With a script, nothing
 * of Slotwire is installed: the script prepares the root.
 */
export class BootedSystem {
  readonly #work = mkdtempSync(join(tmpdir(), 'slotwire-boot-'))
  readonly #boot: ChildProcess
  readonly #ended: Promise<unknown>

  private constructor(shown: string, script?: string) {
    for (const folder of ['cgroup', 'root', 'memory', 'files/etc']) mkdirSync(join(this.#work, folder), { recursive: true })
    const files = join(this.#work, 'files')
    writeFileSync(join(files, 'etc/hostname'), `${HOST_NAME}\n`)
    writeFileSync(join(files, 'etc/fstab'), '')
    if (script === undefined) install(files)
    this.#boot = spawn('unshare', ['--mount', 'bash', '-c', BOOT, 'boot', this.#work, shown, ROOT, script ?? INSTALLED], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#ended = once(this.#boot, 'exit')
  }

  /**
   * Resolves when the system is up. `shown` is a folder that the system has at `SHOWN`. `script` is for bash, before systemd starts, with
   * the system's root at `$root`; without it, Slotwire is installed.
   */
  static async start(shown: string, script?: string): Promise<BootedSystem> {
    const system = new BootedSystem(shown, script)
    try {
      await vi.waitFor(async () => {
        const { output } = await system.run('systemctl', 'is-active', 'basic.target')
        if (output !== 'active\n') throw new Error(`it does not come up: ${output}`)
      }, STARTED)
    } catch (error) {
      await system.close()
      throw error
    }
    return system
  }

  /** Runs a program in it, to its end. */
  run(...command: readonly string[]): Promise<Outcome> {
    const first = this.#first
    if (first === undefined) return Promise.resolve({ code: null, output: 'systemd does not run' })
    const own = ['--target', String(first), '--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup']
    return new Promise((resolve) => {
      const options = { timeout: STARTED.timeout }
      const program = execFile('nsenter', [...own, '--', ...command], options, (_, stdout, stderr) => {
        resolve({ code: program.exitCode, output: stdout + stderr })
      })
    })
  }

  /** A property of a unit, as in `systemctl show`. */
  async property(unit: string, name: string): Promise<string> {
    return (await this.run('systemctl', 'show', '--property', name, '--value', unit)).output.trim()
  }

  /** Adds settings to a unit, as an administrator does. */
  async settle(unit: string, settings: string): Promise<void> {
    const folder = `/etc/systemd/system/${unit}.d`
    const script = `mkdir -p ${folder} && printf '%s' "$1" > ${folder}/50-test.conf && systemctl daemon-reload`
    await this.run('sh', '-c', script, 'sh', settings)
  }

  async close(): Promise<void> {
    this.#boot.kill('SIGKILL')
    await this.#ended
    await vi.waitFor(
      () => execFileSync('unshare', ['--mount', 'bash', '-c', CLEAR, 'clear', this.#work], { stdio: 'ignore' }),
      STARTED,
    )
    rmSync(this.#work, { recursive: true, force: true })
  }

  /** PID of its first process, as this machine numbers it. */
  get #first(): number | undefined {
    const children = childrenOf(this.#boot.pid)
    const [first] = children
    return first !== undefined && readFileSync(`/proc/${first}/comm`, 'utf8') === 'systemd\n' ? first : undefined
  }
}

/** Installs the units, the built program, and options with which it finds a device at `SHOWN`. */
function install(files: string): void {
  writeUnits(files)
  mkdirSync(join(files, 'usr/bin'), { recursive: true })
  mkdirSync(join(files, 'etc/default'), { recursive: true })
  const program = `#!/bin/sh\nexec ${NODE_THERE} ${CLONE_THERE}/apps/cli/dist/main.js "$@"\n`
  writeFileSync(join(files, 'usr/bin/slotwire'), program, { mode: 0o755 })
  const options = `--sys-root ${SHOWN}/sys --dev-root ${SHOWN}/dev`
  writeFileSync(join(files, 'etc/default/slotwire'), `SLOTWIRE_OPTIONS=${options}\n`)
  writeFileSync(join(files, 'etc/default/slotwire-power-manager'), `SLOTWIRE_POWER_MANAGER_OPTIONS=--sys-root ${SHOWN}/sys\n`)
}

function childrenOf(pid: number | undefined): readonly number[] {
  try {
    return readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
  } catch {
    return []
  }
}
