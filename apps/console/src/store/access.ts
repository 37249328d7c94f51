import { type ReadonlySignal, signal } from '@preact/signals'
import { ClientError, connectWith, type Transport } from '@slotwire/client'
import { type Clock, messageOf, type WallTime } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import { browserTabs } from './browser-tabs.ts'
import { DeviceStore } from './device-store.ts'
import { SharedSource } from './shared-source.ts'

/** The way to the device. */
export type AccessState =
  | { readonly step: 'connecting'; readonly problem?: string }
  | { readonly step: 'sign-in'; readonly refusal?: string }
  /** This page cannot use the device: it has another version, for example. */
  | { readonly step: 'unusable'; readonly problem: string }
  | { readonly step: 'ready'; readonly store: DeviceStore }

const AGAIN_MS = 1000
const UNUSABLE = new Set(['version', 'invalid'])

/** Connects, without a token at first; asks for one where the server wants it. The token is in memory only. */
export class Access {
  readonly state: ReadonlySignal<AccessState>
  readonly #state = signal<AccessState>({ step: 'connecting' })
  readonly #address: string
  readonly #clock: Clock
  readonly #wallTime: WallTime

  constructor(address: string, clock: Clock, wallTime: WallTime) {
    this.state = this.#state
    this.#address = address
    this.#clock = clock
    this.#wallTime = wallTime
  }

  /** Tries until the device is there, or refuses. */
  async connect(token?: string): Promise<void> {
    this.#state.value = { step: 'connecting' }
    for (;;) {
      try {
        this.#state.value = { step: 'ready', store: await this.#open(token) }
        return
      } catch (error) {
        const problem = messageOf(error)
        const kind = error instanceof ClientError ? error.kind : 'invalid'
        if (kind === 'credentials') {
          this.#state.value = { step: 'sign-in', ...(token === undefined ? {} : { refusal: problem }) }
          return
        }
        this.#state.value = UNUSABLE.has(kind) ? { step: 'unusable', problem } : { step: 'connecting', problem }
        await this.#clock.sleep(AGAIN_MS)
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
    const tabs = await browserTabs(this.#address, token)
    try {
      const device = await connectWith(clients, this.#address, {
        token,
        clock: this.#clock,
        transport: browserTransport(this.#address),
        source: tabs === undefined ? undefined : (connection, onState) => new SharedSource(connection, onState, tabs),
      })
      return new DeviceStore(device, {
        clock: this.#clock,
        wallTime: this.#wallTime,
        hasToken: token !== undefined,
        onEnd: (error) => void this.#onEnd(error),
      })
    } catch (error) {
      tabs?.close()
      throw error
    }
  }

  async #onEnd(error: unknown): Promise<void> {
    const state = this.#state.peek()
    if (state.step !== 'ready') return
    if (error instanceof ClientError && error.kind === 'credentials') return this.signOut(error.message)
    await state.store.close()
    await this.connect()
  }
}

/** `fetch` without cookies. A lease is given back even by a page that closes. */
function browserTransport(address: string): Transport {
  const root = address.replace(/\/+$/, '')
  return (path, init) =>
    fetch(root + path, { ...init, credentials: 'omit', redirect: 'error', keepalive: init.method === 'DELETE' })
}
