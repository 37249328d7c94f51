import { type ReadonlySignal, signal } from '@preact/signals'

/** A request as it is shown and copied. */
export interface ShownRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** A request that changed a virtual device. */
export interface SentRequest {
  readonly request: ShownRequest
  readonly reply: unknown
  /** Time of the device, in milliseconds. */
  readonly twinMs: number
}

/** So many are kept; older ones are dropped. */
const MAX_REQUESTS = 1000

/** The requests of this page that a virtual device accepted, in order, with its time: for a scenario. */
export class SentRequests {
  readonly #list = signal<readonly SentRequest[]>([])
  readonly list: ReadonlySignal<readonly SentRequest[]> = this.#list

  /** `readTime` reads the time of the bench; undefined for a device without one. */
  constructor(private readonly readTime: () => Promise<unknown> | undefined) {}

  /** Sends a write, and keeps it if it was accepted. */
  async send(write: { readonly request: ShownRequest | undefined; send(): Promise<unknown> }): Promise<unknown> {
    const { request } = write
    const time = this.readTime()?.catch(() => undefined)
    const reply = await write.send()
    const now = ((await time) as { readonly now_ms?: number } | undefined)?.now_ms
    if (request === undefined || now === undefined) return reply
    const before = this.#list.peek()
    const twinMs = Math.max(now, before.at(-1)?.twinMs ?? 0)
    this.#list.value = [...before, { request, reply, twinMs }].slice(-MAX_REQUESTS)
    return reply
  }

  clear(): void {
    this.#list.value = []
  }
}
