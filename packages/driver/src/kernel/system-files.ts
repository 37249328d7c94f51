import type { Clock } from '@slotwire/core'
import { BusyPolling } from './busy-polling.ts'
import type { ChildProgram } from './child-program.ts'
import {
  ChildEnded,
  type FileContent,
  KernelFileError,
  type KernelFiles,
  type SlotFile,
  type WatchOptions,
} from './kernel-files.ts'
import { ReaderProcess } from './reader-process.ts'
import { SlotProcess } from './slot-process.ts'

/** Most idle processes that are kept for the next slot: as many as there are slots. */
const MAX_SPARES = 8
const MS_PER_SECOND = 1000

interface SystemFilesOptions {
  /** Must be real time: it measures answers. */
  readonly clock: Clock
  /** Number of processors that this process may use. With more than one, it polls for quick answers (decision 0210). */
  readonly processors: number
}

/** The real system calls. Processes that can be killed make them: one for each open slot, one for `/sys` (decision 0210). */
export class SystemFiles implements KernelFiles {
  readonly #reader: ReaderProcess
  readonly #quick: BusyPolling
  readonly #slots = new Set<SlotProcess>()
  #spares: SlotProcess[] = []
  #closed = false

  constructor({ clock, processors }: SystemFilesOptions) {
    this.#reader = new ReaderProcess(clock)
    this.#quick = new BusyPolling(clock, processors)
  }

  /** The processes that live now, for tests and administrators. */
  get pids(): readonly number[] {
    return pidsOf(this.#children())
  }

  async list(folder: string): Promise<readonly string[]> {
    const names = await this.#ask({ kind: 'list', files: [folder] })
    return names.filter((name) => typeof name === 'string')
  }

  async resolve(file: string): Promise<string> {
    const [path] = await this.#ask({ kind: 'resolve', files: [file] })
    return typeof path === 'string' ? path : file
  }

  read(files: readonly string[]): Promise<readonly FileContent[]> {
    return this.#reader.ask({ kind: 'read', files })
  }

  async write(file: string, content: string): Promise<void> {
    await this.#ask({ kind: 'write', files: [file], content })
  }

  async follow(file: string, failedBefore: boolean, onContent: (content: string) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const onPart = ([content]: readonly FileContent[]): void => {
      if (typeof content === 'string') onContent(content)
    }
    await this.#ask({ kind: 'follow', options: [failedBefore ? '1' : ''], files: [file] }, signal, onPart)
  }

  async watch(folder: string, files: readonly string[], known: string, { intervalMs, looks }: WatchOptions): Promise<string> {
    const options = [String(intervalMs / MS_PER_SECOND), String(looks), known]
    const [seen] = await this.#ask({ kind: 'watch', options, files: [folder, ...files] })
    return typeof seen === 'string' ? seen : ''
  }

  async open(file: string, failedNotifications: string, signal: AbortSignal): Promise<SlotFile> {
    signal.throwIfAborted()
    if (this.#closed) throw new ChildEnded('everything has been given up')
    const process = this.#spares.pop() ?? this.#start()
    try {
      return await process.open(file, failedNotifications, signal)
    } catch (error) {
      if (process.alive) this.#keepSpare(process)
      throw error
    }
  }

  replaceReader(): void {
    this.#reader.replace()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...[...this.#slots].map((process) => process.kill()), this.#reader.close()])
  }

  /** Lets this process end even if the kernel keeps some of its children. */
  unref(): void {
    for (const child of this.#children()) child.unref()
  }

  #start(): SlotProcess {
    const process = new SlotProcess(this.#quick, (free) => this.#keepSpare(free))
    this.#slots.add(process)
    void process.child.ended.then(() => {
      this.#slots.delete(process)
      this.#spares = this.#spares.filter((spare) => spare !== process)
    })
    return process
  }

  #keepSpare(process: SlotProcess): void {
    if (this.#spares.length < MAX_SPARES && !this.#closed) this.#spares.push(process)
    else void process.kill()
  }

  #children(): readonly ChildProgram[] {
    return [...this.#reader.children, ...[...this.#slots].map(({ child }) => child)]
  }

  /** Rejects with the failure of a request; each of several reads may fail by itself. */
  async #ask(...request: Parameters<ReaderProcess['ask']>): Promise<readonly FileContent[]> {
    const contents = await this.#reader.ask(...request)
    if (contents[0] instanceof KernelFileError) throw contents[0]
    return contents
  }
}

function pidsOf(children: readonly ChildProgram[]): number[] {
  return children.flatMap(({ pid }) => pid ?? [])
}
