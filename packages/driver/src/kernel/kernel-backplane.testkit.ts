import { type BackplaneEvent, ManualClock } from '@slotwire/core'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { createKernelBackplane, type KernelBackplane } from './kernel-backplane.ts'
import { ScriptedFiles } from './scripted-files.testkit.ts'

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
