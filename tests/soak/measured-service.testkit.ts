import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'

const SOON = { timeout: 30_000, interval: 20 }
/** Runs in the service: on SIGUSR2 it prints its memory before and after it collects all garbage. */
const REPORTER = `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    const before = process.memoryUsage()
    collect()
    collect()
    process.stderr.write('memory ' + JSON.stringify({ before, after: process.memoryUsage() }) + '\\n')
  })`

/** Memory of a process, in bytes. `before` the garbage is collected, and `after`. */
export type Memory = Readonly<Record<'before' | 'after', NodeJS.MemoryUsage>>

/** `slotwire serve` with both doors and a virtual device, whose memory can be measured. */
export class MeasuredService {
  readonly loopback: string
  readonly network: string

  private constructor(
    readonly process: SlotwireProcess,
    { urls, networkUrls }: Announcement,
    readonly token: string,
  ) {
    this.loopback = urls[0] ?? ''
    this.network = networkUrls[0] ?? ''
  }

  static async start(state: string): Promise<MeasuredService> {
    const doors = ['--port', '0', '--listen', '127.0.0.1', '--https-port', '0']
    const environment = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(REPORTER)}` }
    const words = ['serve', '--json', '--hardware', 'twin', '--state', state, '--log-level', 'silent', ...doors]
    const process = new SlotwireProcess(words, { environment })
    const announcement = JSON.parse(await process.firstLine()) as Announcement
    const { output } = await new SlotwireProcess(['token', 'create', '--name', 'endurance', '--state', state]).ended
    return new MeasuredService(process, announcement, output.trim())
  }

  /** Resident memory now, in bytes, as the system counts it. */
  resident(): number {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))?.[1])
  }

  async memory(): Promise<Memory> {
    const reports = () => this.process.errors.split('\n').filter((line) => line.startsWith('memory '))
    const count = reports().length
    this.process.child.kill('SIGUSR2')
    await expect.poll(() => reports().length, SOON).toBe(count + 1)
    return JSON.parse(reports().at(-1)?.slice('memory '.length) ?? '') as Memory
  }
}
