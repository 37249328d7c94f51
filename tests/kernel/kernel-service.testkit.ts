import { expect } from 'vitest'
import { freePort } from '../program/free-port.testkit.ts'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { AS_A_SERVICE, type FakeDevice } from './kernel-device.testkit.ts'

/** Waits for a process on a busy machine. The polling interval must not add much load. */
const ANSWERS = { timeout: 30_000, interval: 10 }

/** A `slotwire serve` process on a device, and a client of it. */
export class KernelService {
  readonly #announcement: Announcement | undefined

  private constructor(
    readonly run: SlotwireProcess,
    readonly url: string,
    announcement?: Announcement,
  ) {
    this.#announcement = announcement
  }

  /** Resolves when it serves. */
  static async start(device: FakeDevice, state: string, ...options: readonly string[]): Promise<KernelService> {
    const run = KernelService.begin(device, state, '--port', '0', ...options)
    const announcement = JSON.parse(await run.firstLine()) as Announcement
    return new KernelService(run, String(announcement.urls[0]), announcement)
  }

  /** Resolves when it answers a request with 200. */
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

  /** Its announcement. Throws for a service started with `answering`. */
  get announcement(): Announcement {
    if (this.#announcement === undefined) throw new Error('its announcement was not read')
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

  /** Kills it without warning; resolves when it has ended. */
  async kill(): Promise<void> {
    this.run.child.kill('SIGKILL')
    await this.run.ended
  }

  /** Ends it, unless it has ended. */
  remove(): Promise<void> {
    return this.run.remove()
  }
}
