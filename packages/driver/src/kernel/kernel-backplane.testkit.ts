import { type BackplaneEvent, ManualClock } from '@slotwire/core'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { createKernelBackplane } from './create-kernel-backplane.ts'
import type { KernelBackplane } from './kernel-backplane.ts'
import { ScriptedFiles } from './scripted-files.testkit.ts'

/** Events as words: `arrived 3`. */
function wordsOf(event: BackplaneEvent): string {
  return 'slot' in event ? `${event.type} ${event.slot}` : event.type
}

/** A kernel by hand: system calls that are scripted, a clock that stands still. */
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

  /** Ends everything; no timer may be left, which is what it tells. */
  async close(): Promise<number> {
    const closing = this.#backplane?.close()
    await this.clock.advance(1000)
    await closing
    return this.clock.pending
  }
}
