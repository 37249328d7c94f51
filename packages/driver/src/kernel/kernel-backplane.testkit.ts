import { type BackplaneEvent, ManualClock, seededRandom } from '@slotwire/core'
import { expect, onTestFinished } from 'vitest'
import { Rack } from '../rack/rack.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { FakeModule, RELAY } from '../slot/fake-module.testkit.ts'
import { createKernelBackplane, type KernelBackplane } from './kernel-backplane.ts'
import { plug, ScriptedFiles } from './scripted-files.testkit.ts'

/** An event as text: `arrived 3`. */
function wordsOf(event: BackplaneEvent): string {
  return 'slot' in event ? `${event.type} ${event.slot}` : event.type
}

/** A simulated kernel: scripted system calls and a manual clock. */
export class ScriptedKernel {
  readonly clock = new ManualClock()
  readonly log = new RecordingLog()
  readonly files = new ScriptedFiles()
  readonly events: string[] = []
  #backplane: KernelBackplane | undefined

  constructor(version = '1.1.2\n') {
    this.files.contents.set('/sys/module/sdbpk/version', version)
  }

  get backplane(): KernelBackplane {
    if (this.#backplane === undefined) throw new Error('the kernel has not been started')
    return this.#backplane
  }

  async start(stopping = new AbortController().signal): Promise<KernelBackplane> {
    const { clock, log, files } = this
    this.#backplane = await createKernelBackplane({ sysRoot: '/sys', devRoot: '/dev', clock, log, files, stopping })
    this.#backplane.subscribe((event) => this.events.push(wordsOf(event)))
    return this.#backplane
  }

  /** Closes everything; returns the number of timers left, which must be 0. */
  async close(): Promise<number> {
    const closing = this.#backplane?.close()
    await this.clock.advance(1000)
    await closing
    return this.clock.pending
  }
}

/** A kernel with modules in these slots, started, and closed at the end of the test. Their files return each payload. */
export async function startedKernel(...slots: readonly number[]): Promise<ScriptedKernel> {
  const kernel = new ScriptedKernel()
  for (const slot of slots) {
    plug(kernel.files, slot)
    kernel.files.slots.set(`/dev/slot${slot}`, async (payload) => payload)
  }
  await kernel.start()
  onTestFinished(async () => expect(await kernel.close()).toBe(0))
  return kernel
}

/** The driver on a started kernel, with a module of type `example.org/relay` behind the file of slot 3. Stopped at the end of the test. */
export async function startedRack({ backplane, clock, log, files }: ScriptedKernel): Promise<Rack> {
  const module = new FakeModule(clock)
  files.slots.set('/dev/slot3', (payload) => module.exchange(payload))
  const rack = new Rack({ backplane, clock, random: seededRandom(3), log, types: [RELAY] })
  onTestFinished(async () => {
    await Promise.all([rack.stop(), clock.advance(1000)])
  })
  const starting = rack.start()
  await clock.advance(0)
  await starting
  return rack
}
