import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'vitest'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { AS_A_SERVICE, type FakeDevice } from './kernel-device.testkit.ts'

/** Until a process answers, on a busy machine; how often it is asked must not be what keeps it busy. */
const ANSWERS = { timeout: 30_000, interval: 10 }

/** `slotwire serve` on a device, as a process, and a client of it. */
export class KernelService {
  readonly run: SlotwireProcess
  readonly url: string

  readonly #announcement: Announcement | undefined

  private constructor(run: SlotwireProcess, url: string, announcement?: Announcement) {
    this.run = run
    this.url = url
    this.#announcement = announcement
  }

  /** Resolves when it serves. */
  static async start(device: FakeDevice, state: string, ...options: readonly string[]): Promise<KernelService> {
    const run = KernelService.begin(device, state, '--port', '0', ...options)
    const announcement = JSON.parse(await run.firstLine()) as Announcement
    return new KernelService(run, String(announcement.urls[0]), announcement)
  }

  /** Resolves as soon as it answers a request with 200, whatever it says. */
  static async answering(device: FakeDevice, state: string, path: string): Promise<KernelService> {
    const port = await freePort()
    const run = KernelService.begin(device, state, '--port', String(port))
    const service = new KernelService(run, `http://127.0.0.1:${port}`)
    await expect.poll(() => service.answers(path), ANSWERS).toBe(true)
    return service
  }

  static begin(device: FakeDevice, state: string, ...options: readonly string[]): SlotwireProcess {
    const words = ['serve', '--json', '--state', state, ...device.options, ...options]
    return new SlotwireProcess(words, { startedBy: AS_A_SERVICE })
  }

  /** What it has announced. Throws for one that was not waited for. */
  get announcement(): Announcement {
    if (this.#announcement === undefined) throw new Error('nobody has waited for its announcement')
    return this.#announcement
  }

  async answers(path: string): Promise<boolean> {
    const answer = await fetch(this.url + path).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }

  async get(path: string): Promise<unknown> {
    return (await fetch(`${this.url}/api/${path}`)).json()
  }

  async post(path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${this.url}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }

  /** Ends it as nothing can be prepared for; resolves when it has ended. */
  async kill(): Promise<void> {
    this.run.child.kill('SIGKILL')
    await this.run.ended
  }

  /** Ends it, if it has not ended. */
  remove(): Promise<void> {
    return this.run.remove()
  }
}

/** A port that was free a moment ago: one that is picked is told only when the service can be used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
