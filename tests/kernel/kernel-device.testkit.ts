import { readdirSync, readFileSync } from 'node:fs'
import { nextTurn, SystemClock, seededRandom } from '@slotwire/core'
import { createBench, defaultChassis } from '@slotwire/device/twin'
import { type AnyCommand, commandCodeOf } from '@slotwire/sdbp'
import { type Bench, type Chassis, STALL_MS, VolatileMemory } from '@slotwire/twin'
import { KernelSide, KernelTree, type TreeModule, type TreeSlot } from '@slotwire/twin/kernel'
import { atTestEnd } from '../at-test-end.testkit.ts'
import { KernelTraffic } from './kernel-traffic.testkit.ts'

/** Rights of root on files and terminals that a service does not have. */
const RIGHTS_OF_ROOT = '-sys_admin,-dac_override,-dac_read_search'

/** Starts a program like a service: even as root, it has no rights beyond those of a user. */
export const AS_A_SERVICE: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', RIGHTS_OF_ROOT, '--inh-caps', RIGHTS_OF_ROOT] : []

/** Records the interaction between programs and the kernel. */
class WatchedTree extends KernelTree {
  /** Slots whose file was closed, in order. */
  readonly closings: number[] = []
  /** Slots with modules that never answer. */
  readonly mute = new Set<number>()
  /** Called for each payload before its module gets it. */
  onPayload: (slot: number, payload: Uint8Array) => void = () => undefined

  override plug(slot: number, module: TreeModule): Promise<TreeSlot> {
    return super.plug(slot, {
      ...module,
      answer: async (payload) => {
        this.onPayload(slot, payload)
        return this.mute.has(slot) ? undefined : module.answer(payload)
      },
      onClosed: async () => {
        this.closings.push(slot)
        await module.onClosed?.()
      },
    })
  }
}

/** A device for programs to serve: kernel files in a temporary folder, connected to the modules of a twin, in real time. One that a test switches on is closed at its end. */
export class FakeDevice {
  readonly tree: WatchedTree
  readonly chassis: Chassis
  readonly bench: Bench
  readonly #side: KernelSide
  #closed: Promise<void> | undefined

  private constructor(socat: string) {
    this.tree = new WatchedTree(socat)
    const clock = new SystemClock({ maxLatenessMs: STALL_MS })
    this.chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
    this.bench = createBench(this.chassis)
    this.#side = new KernelSide(this.chassis, this.tree, new KernelTraffic())
    atTestEnd(() => this.close())
  }

  static async switchedOn(socat: string): Promise<FakeDevice> {
    const device = new FakeDevice(socat)
    await device.chassis.powerOn()
    await device.shown(device.chassis.occupiedSlots)
    return device
  }

  /** Options for programs to use this device. */
  get options(): readonly string[] {
    return ['--sys-root', this.tree.sysRoot, '--dev-root', this.tree.devRoot]
  }

  /** Resolves when exactly these slots are visible to programs. */
  async shown(slots: readonly number[]): Promise<void> {
    const wanted = String([...slots].sort())
    while (String([...this.tree.present].sort()) !== wanted || this.#side.processed !== undefined) await nextTurn()
  }

  /** How often the kernel has lost the module in a slot. */
  departures(slot: number): number {
    return this.#side.departures(slot)
  }

  /** Calls `then` once when a program sends a command to a slot, before the module gets it. */
  onCommand(slot: number, command: AnyCommand, then: () => void): void {
    this.tree.onPayload = (at, payload) => {
      const { classIdentifier, class: group, operation } = commandCodeOf(payload)
      if (at !== slot || classIdentifier !== command.classIdentifier) return
      if (group !== command.class || operation !== command.operation) return
      this.tree.onPayload = () => undefined
      then()
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#side.close()
    this.chassis.powerOff()
    await this.tree.close()
  }
}

/** Running child processes of a process. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => statusOf(child)?.parent === pid)
}

/** Whether a process runs; zombies do not count. */
export function runs(pid: number): boolean {
  const status = statusOf(pid)
  return status !== undefined && status.state !== 'Z'
}

/**
 * Stops the processes of a service that run a program: `reader.pl` reads `/sys` and the notifications, `slot.pl` has a slot open. Returns a
 * function that continues those that still live.
 */
export function stopPrograms(pid: number, program: 'reader.pl' | 'slot.pl'): () => void {
  const runsIt = (child: number): boolean => readFileSync(`/proc/${child}/cmdline`, 'latin1').includes(program)
  const stopped = childrenOf(pid).flatMap((child) => (runsIt(child) ? [child, ...childrenOf(child)] : []))
  for (const child of stopped) process.kill(child, 'SIGSTOP')
  return () => stopped.filter(runs).forEach((child) => process.kill(child, 'SIGCONT'))
}

function statusOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const [, state = '', parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
