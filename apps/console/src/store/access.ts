import { type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, connectWith, HttpClient, type Transport } from '@slotwire/client'
import { extensionPaths } from '@slotwire/contract'
import { type Clock, systemRandom, type WallTime } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import { DeviceStore } from './device-store.ts'
import { reasonOf } from './reason.ts'

/** The way to the device. */
export type AccessState =
  | { readonly step: 'connecting'; readonly problem?: string }
  /** An empty refusal: the server does not know the token. */
  | { readonly step: 'sign-in'; readonly refusal?: string }
  /** This page cannot use the device: it has another version, for example. */
  | { readonly step: 'unusable'; readonly problem: string }
  | { readonly step: 'ready'; readonly store: DeviceStore }

const AGAIN_MS = 1000
const KNOCK_MS = 2000
const UNAUTHORIZED = 401
const UNUSABLE = new Set(['version', 'invalid'])

/** Connects, without a token at first; asks for one where the server wants it. The token is in memory only. */
export class Access {
  readonly #state = signal<AccessState>({ step: 'connecting' })
  readonly state: ReadonlySignal<AccessState> = this.#state

  constructor(
    private readonly address: string,
    private readonly clock: Clock,
    private readonly wallTime: WallTime,
  ) {}

  /** Tries until the device is there, or refuses. */
  async connect(token?: string): Promise<void> {
    this.#state.value = { step: 'connecting' }
    for (;;) {
      try {
        this.#state.value = { step: 'ready', store: await this.#open(token) }
        return
      } catch (error) {
        const problem = reasonOf(error)
        const kind = error instanceof ClientError ? error.kind : 'invalid'
        if (kind === 'credentials') {
          this.#state.value = { step: 'sign-in', ...(token === undefined ? {} : { refusal: isUnknown(error) ? '' : problem }) }
          return
        }
        this.#state.value = UNUSABLE.has(kind) ? { step: 'unusable', problem } : { step: 'connecting', problem }
        await this.clock.sleep(AGAIN_MS)
      }
    }
  }

  /** Forgets the token. */
  async signOut(refusal?: string): Promise<void> {
    const state = this.#state.peek()
    this.#state.value = { step: 'sign-in', ...(refusal === undefined ? {} : { refusal }) }
    if (state.step === 'ready') await state.store.close()
  }

  async #open(token: string | undefined): Promise<DeviceStore> {
    const transport = browserTransport(this.address, token)
    await this.#knock(transport, token)
    const device = await connectWith(clients, this.address, { token, clock: this.clock, transport })
    return new DeviceStore(device, this.clock, this.wallTime, token !== undefined, (error) => void this.#onEnd(error))
  }

  /** One request, so that a wrong token counts as one failed login: connecting asks all services at once. */
  async #knock(transport: Transport, token: string | undefined): Promise<void> {
    const options = { clock: this.clock, random: systemRandom, deadlineMs: KNOCK_MS, streams: true }
    const http = new HttpClient({ ...options, transport, token })
    try {
      await http.request({ method: 'GET', path: extensionPaths.about, safe: true })
    } catch (error) {
      if (isUnknown(error)) throw error
    } finally {
      http.close()
    }
  }

  async #onEnd(error: unknown): Promise<void> {
    const state = this.#state.peek()
    if (state.step !== 'ready') return
    if (error instanceof ClientError && error.kind === 'credentials') return this.signOut(isUnknown(error) ? '' : error.message)
    await state.store.close()
    await this.connect()
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof ClientError && error.status === UNAUTHORIZED
}

/** `fetch` without cookies, with the token as Bearer. A lease is given back even by a page that closes. */
function browserTransport(address: string, token: string | undefined): Transport {
  const root = address.replace(/\/+$/, '')
  const own = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (path, init) => {
    const headers = { ...init.headers, ...own }
    return fetch(root + path, { ...init, headers, credentials: 'omit', redirect: 'error', keepalive: init.method === 'DELETE' })
  }
}
