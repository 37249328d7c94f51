import { extensionPaths } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { ClientError, notServed } from '../client-error.ts'
import type { HttpClient } from '../http-client.ts'

export interface LeaseOptions {
  /** Who writes, for others to read: 1…64 printable characters. */
  readonly holder: string
  /** How long the lease holds without this client, 5…3600 s; 30 by default. */
  readonly ttlSeconds?: number | undefined
  /** When it lapses: keep the state of the modules (default), or apply the safe state of their types. */
  readonly onLapse?: 'keep' | 'safe' | undefined
  /** Take the slots over from another lease. */
  readonly force?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** What grants a lease. */
export interface Grant {
  readonly number: number
  readonly secret: string
}

/** Whether an answer grants a lease. */
export function isGrant(answer: unknown): answer is Grant {
  return isRecord(answer) && typeof answer['number'] === 'number' && typeof answer['secret'] === 'string'
}

const PATH = extensionPaths.leases
const TTL_SECONDS = 30
const MS_PER_SECOND = 1000
/** Renewals within the time of a lease, so that one may be lost. */
const RENEWALS = 3

/** The right to be the only writer of some slots. It renews itself until `release`, or until it is lost. */
export class Lease {
  readonly number: number
  readonly slots: readonly number[]
  /** Resolves with the reason when the lease was taken over or has expired. Never after `release`. */
  readonly lost: Promise<ClientError>
  readonly #http: HttpClient
  readonly #secrets: Map<number, string>
  readonly #secret: string
  readonly #ttlMs: number
  readonly #end = new AbortController()
  readonly #unlisten: () => void
  #untilMs: number
  #setLost: ((reason: ClientError) => void) | undefined

  private constructor(
    http: HttpClient,
    secrets: Map<number, string>,
    grant: Grant & { slots: readonly number[]; ttlMs: number; begunMs: number },
  ) {
    this.#http = http
    this.#secrets = secrets
    this.#secret = grant.secret
    this.number = grant.number
    this.slots = grant.slots
    this.#ttlMs = grant.ttlMs
    this.#untilMs = grant.begunMs + grant.ttlMs
    this.lost = new Promise((resolve) => {
      this.#setLost = resolve
    })
    for (const slot of grant.slots) secrets.set(slot, grant.secret)
    this.#unlisten = http.onClose(() => this.#end.abort())
    void this.#renew()
  }

  /** Takes a lease. Rejects with `leased` while another client has one of the slots. */
  static async take(
    http: HttpClient,
    secrets: Map<number, string>,
    slots: readonly number[],
    options: LeaseOptions,
  ): Promise<Lease> {
    const { holder, ttlSeconds = TTL_SECONDS, onLapse = 'keep', force, signal } = options
    if (!http.extensions) throw notServed('leases')
    const begunMs = http.clock.now()
    const body = { slots, holder, ttl_seconds: ttlSeconds, on_lapse: onLapse, ...(force === undefined ? {} : { force }) }
    const grant = await http.request({ method: 'POST', path: PATH, body, signal, accepts: isGrant })
    return new Lease(http, secrets, { ...(grant as Grant), slots, ttlMs: ttlSeconds * MS_PER_SECOND, begunMs })
  }

  /** Gives the slots back; the modules keep their state. */
  async release(): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#forget()
    try {
      await this.#http.request({ method: 'DELETE', path: this.#path, headers: this.#headers, idempotent: true })
    } catch (error) {
      // It had ended already.
      if (!(error instanceof ClientError && (error.kind === 'leased' || error.kind === 'not-found'))) throw error
    }
  }

  get #path(): string {
    return `${PATH}/${this.number}`
  }

  get #headers(): Readonly<Record<string, string>> {
    return { 'slotwire-lease': this.#secret }
  }

  #forget(): void {
    this.#end.abort()
    this.#unlisten()
    for (const slot of this.slots) if (this.#secrets.get(slot) === this.#secret) this.#secrets.delete(slot)
  }

  async #renew(): Promise<void> {
    const { clock } = this.#http
    const { signal } = this.#end
    while (!signal.aborted) {
      await clock.sleep(this.#ttlMs / RENEWALS, signal).catch(() => undefined)
      if (signal.aborted) return
      const begunMs = clock.now()
      try {
        const deadlineMs = Math.max(0, this.#untilMs - begunMs)
        await this.#http.request({
          method: 'PUT',
          path: this.#path,
          body: {},
          headers: this.#headers,
          idempotent: true,
          signal,
          deadlineMs,
        })
        this.#untilMs = begunMs + this.#ttlMs
      } catch (error) {
        if (signal.aborted) return
        const hasEnded = error instanceof ClientError && ['leased', 'not-found', 'credentials'].includes(error.kind)
        if (!hasEnded && clock.now() < this.#untilMs) continue
        this.#forget()
        this.#setLost?.(
          new ClientError(
            `lease ${this.number} of slot ${this.slots.join(', ')} is lost: check the modules, and take a new one`,
            { kind: 'leased', cause: error },
          ),
        )
      }
    }
  }
}
