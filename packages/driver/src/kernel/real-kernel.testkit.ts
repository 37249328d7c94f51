import { availableParallelism } from 'node:os'
import { type BackplaneEvent, SystemClock, seededRandom } from '@slotwire/core'
import { type FarEnd, KernelTree } from '@slotwire/twin/kernel'
import { Rack } from '../rack/rack.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { FakeModule, RELAY, relayDescriptor } from '../slot/fake-module.testkit.ts'
import { createKernelBackplane, type KernelBackplane } from './kernel-backplane.ts'
import { SystemFiles } from './system-files.ts'

/** The driver on a tree of real files, in real time, with modules of type `example.org/relay` at the far ends. */
export class RealKernel {
  readonly clock = new SystemClock()
  readonly log = new RecordingLog()
  readonly files = new SystemFiles({ clock: this.clock, processors: availableParallelism() })
  readonly tree: KernelTree
  readonly events: BackplaneEvent[] = []
  /** How often the file of each slot was closed. */
  readonly closings: number[] = []
  #backplane: KernelBackplane | undefined
  #rack: Rack | undefined

  constructor(socat: string) {
    this.tree = new KernelTree(socat)
  }

  get rack(): Rack {
    if (this.#rack === undefined) throw new Error('not started')
    return this.#rack
  }

  /** The usable slots. */
  get usable(): readonly number[] {
    return this.rack.usable(RELAY).map(({ slot }) => slot)
  }

  async start(): Promise<void> {
    const { clock, log, files, tree } = this
    const { sysRoot, devRoot } = tree
    this.#backplane = await createKernelBackplane({ sysRoot, devRoot, clock, log, files })
    this.#backplane.subscribe((event) => this.events.push(event))
    this.#rack = new Rack({ backplane: this.#backplane, clock, random: seededRandom(3), log, types: [RELAY] })
    await this.#rack.start()
  }

  /** Plugs a module in; `around` may change its answers. */
  async plug(slot: number, around: (module: FakeModule) => FarEnd = answering): Promise<FakeModule> {
    const module = new FakeModule(this.clock, slot)
    const onClosed = async (): Promise<void> => void this.closings.push(slot)
    await this.tree.plug(slot, { descriptor: relayDescriptor, answer: around(module), onClosed })
    return module
  }

  async close(): Promise<void> {
    await this.#rack?.stop()
    await this.#backplane?.close()
    await this.files.close()
    await this.tree.close()
  }
}

function answering(module: FakeModule): FarEnd {
  return (payload) => module.exchange(payload)
}
