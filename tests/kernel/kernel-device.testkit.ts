import { readdirSync, readFileSync } from 'node:fs'
import { nextTurn, SystemClock, seededRandom } from '@slotwire/core'
import { createBench, defaultChassis } from '@slotwire/device/twin'
import { type AnyCommand, commandCodeOf } from '@slotwire/sdbp'
import { type Bench, type Chassis, STALL_MS, VolatileMemory } from '@slotwire/twin'
import { KernelTree, type TreeModule, type TreeSlot } from '../../packages/driver/src/kernel/kernel-tree.testkit.ts'
import { KernelSide } from './kernel-side.testkit.ts'
import { KernelTraffic } from './kernel-traffic.testkit.ts'

/** What root may do to files and terminals, and a service may not. */
const RIGHTS_OF_ROOT = '-sys_admin,-dac_override,-dac_read_search'

/** Starts a program as a service is started: even root has no rights beyond those of its user. */
export const AS_A_SERVICE: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', RIGHTS_OF_ROOT, '--inh-caps', RIGHTS_OF_ROOT] : []

/** Sees what programs and the kernel have to do with each other. */
class WatchedTree extends KernelTree {
  /** Slots whose file was closed, in order. */
  readonly closings: number[] = []
  /** Slots whose modules never answer. */
  readonly mute = new Set<number>()
  /** Told of each payload before its module is. */
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

/** A device for programs to serve: the kernel's files in a temporary folder, the modules of a twin behind them, in real time. */
export class FakeDevice {
  readonly tree: WatchedTree
  readonly chassis: Chassis
  readonly bench: Bench
  readonly #side: KernelSide

  private constructor(socat: string) {
    this.tree = new WatchedTree(socat)
    const clock = new SystemClock({ maxLatenessMs: STALL_MS })
    this.chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
    this.bench = createBench(this.chassis)
    this.#side = new KernelSide(this.chassis, this.tree, new KernelTraffic())
  }

  static async switchedOn(socat: string): Promise<FakeDevice> {
    const device = new FakeDevice(socat)
    await device.chassis.powerOn()
    await device.shown(device.chassis.occupied)
    return device
  }

  /** Options with which a program finds it. */
  get options(): readonly string[] {
    return ['--sys-root', this.tree.sysRoot, '--dev-root', this.tree.devRoot]
  }

  /** Resolves when these slots and no others are there for programs. */
  async shown(slots: readonly number[]): Promise<void> {
    const wanted = String([...slots].sort())
    while (String([...this.tree.present].sort()) !== wanted || this.#side.noticed !== undefined) await nextTurn()
  }

  /** Calls back, once, when a program sends a command to a slot: the module does not have it yet. */
  onCommand(slot: number, command: AnyCommand, then: () => void): void {
    this.tree.onPayload = (at, payload) => {
      const { classIdentifier, class: group, operation } = commandCodeOf(payload)
      if (at !== slot || classIdentifier !== command.classIdentifier) return
      if (group !== command.class || operation !== command.operation) return
      this.tree.onPayload = () => undefined
      then()
    }
  }

  async close(): Promise<void> {
    this.#side.close()
    this.chassis.powerOff()
    await this.tree.close()
  }
}

/** Processes that a process has started and that still run. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => statusOf(child)?.parent === pid)
}

/** Whether a process still runs; one that has ended and that nobody has asked about does not. */
export function runs(pid: number): boolean {
  const status = statusOf(pid)
  return status !== undefined && status.state !== 'Z'
}

function statusOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const [, state = '', parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}
