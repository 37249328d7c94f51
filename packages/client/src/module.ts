import { type Contract, type descriptorSchema, servicePath, type ValueOf } from '@slotwire/contract'
import {
  type CallArguments,
  type EndpointsOf,
  type PreparedCall,
  preparedCalls,
  type Reply,
  type ShortName,
  shortName,
} from './calls.ts'
import { ClientError } from './client-error.ts'
import type { Call, CallOptions, HttpClient } from './http-client.ts'
import { readState } from './live/history.ts'
import type { Inbox } from './live/inbox.ts'
import { Lease } from './live/lease.ts'
import type { Live } from './live/live.ts'
import type { Interval, WatchUpdate } from './live/values.ts'
import type { SessionChange, Sessions, SlotSession } from './sessions.ts'

/** What all modules of a device share. */
export interface ModuleContext {
  readonly http: HttpClient
  readonly sessions: Sessions
  readonly live: Live
  /** Secrets of the leases that this client holds, by slot. */
  readonly secrets: Map<number, string>
  /** The secret of a lease that another program took. */
  readonly leaseSecret: string | undefined
}

/** A module type as a client sees it: its contract, and what makes it convenient. One in each `modules/<type>/client.ts`. */
export interface ModuleClient<C extends Contract = Contract, Extra extends object = object> {
  readonly contract: C
  extend(module: Module<C>): Extra
}

/** Checks the types of a module type's client. */
export function defineClient<const C extends Contract, Extra extends object>(
  contract: C,
  extend: (module: Module<C>) => Extra,
): ModuleClient<C, Extra> {
  return { contract, extend }
}

type Calls<C extends Contract> = {
  readonly [N in keyof C['endpoints'] & string as ShortName<N>]: (
    ...args: [...CallArguments<C['endpoints'][N]>, options?: CallOptions]
  ) => Promise<Reply<C['endpoints'][N]>>
}
/** A module: its calls by their short names (`getStats` is `stats`), and what its type adds. */
export type ModuleOf<Type> =
  Type extends ModuleClient<infer C, infer Extra>
    ? Module<C> &
        Calls<C> &
        Extra & {
          /**
           * Runs `setup` now, and again whenever the module has a new session; rejects if the first run fails. Use the module that it gets:
           * its calls pass while the writes of others wait.
           */
          setup(setup: (module: ModuleOf<Type>) => Promise<unknown>): Promise<void>
        }
    : never

type Input = Readonly<Record<string, unknown>>
type Name<C extends Contract> = keyof EndpointsOf<C> & string

/** One module of a device. It stays usable when the module leaves and comes back. */
export class Module<C extends Contract = Contract> {
  readonly service: string
  readonly slot: number
  readonly context: ModuleContext
  readonly #entry: SlotSession
  readonly #calls: ReadonlyMap<string, PreparedCall>
  readonly #contract: C
  readonly #inSetup: boolean
  /** The only session in which it writes; undefined: any. */
  readonly #only: string | undefined

  constructor(context: ModuleContext, contract: C, slot: number, inSetup: boolean, only?: string) {
    this.#contract = contract
    this.#only = only
    this.service = contract.service
    this.slot = slot
    this.context = context
    this.#entry = context.sessions.at(slot, contract.service)
    this.#calls = preparedCalls(contract)
    this.#inSetup = inSetup
  }

  /** `device_session` as last seen; undefined while the module is not there. */
  get session(): string | undefined {
    return this.#entry.session
  }

  /**
   * Calls an endpoint by its name in the contract. The input has the fields of its body and the numbers in its path; it is checked before
   * anything is sent. Rejects with a `ClientError`.
   */
  call<N extends Name<C>>(
    name: N,
    ...args: [...CallArguments<EndpointsOf<C>[N]>, options?: CallOptions]
  ): Promise<Reply<EndpointsOf<C>[N]>>
  call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#send(name, args)
  }

  /**
   * Follows a read by its name in the contract: its answers, first and when they change, and why the module cannot be read now. `every`: how
   * often the device looks, 50 ms to 1 h.
   */
  watch<N extends Name<C>>(
    name: N,
    ...args: [...CallArguments<EndpointsOf<C>[N]>, options: { readonly every: Interval; readonly signal?: AbortSignal }]
  ): Inbox<WatchUpdate<Reply<EndpointsOf<C>[N]>>>
  watch(name: string, ...args: readonly unknown[]): object {
    const options = args.at(-1) as { readonly every: Interval; readonly signal?: AbortSignal }
    const call = this.requestOf(name, args.length > 1 ? (args[0] as Input) : {})
    if (call.safe !== true)
      throw new ClientError(`${call.method} ${call.path}: it has an effect, so it cannot be watched`, { kind: 'invalid' })
    const below = call.path.slice(servicePath(this.service).length)
    const read = { resource: `${this.service}${below}`, path: call.path }
    return this.context.live.follow<WatchUpdate<unknown>>(
      read,
      options,
      (value) => ({ kind: 'value', value }),
      (error) => ({ kind: 'error', error }),
    )
  }

  /** The request of a call, which is not sent. Throws `invalid` in the words of the server. */
  requestOf(name: string, input: Input = {}): Call {
    return this.#prepared(name).toCall(this.slot, input)
  }

  #prepared(name: string): PreparedCall {
    const prepared = this.#calls.get(name)
    if (prepared === undefined) throw new ClientError(`the ${this.service} service has no endpoint ${name}`, { kind: 'invalid' })
    return prepared
  }

  descriptor(options?: CallOptions): Promise<ValueOf<typeof descriptorSchema>> {
    return this.#send('descriptor', [options]) as Promise<ValueOf<typeof descriptorSchema>>
  }

  /** Resets the module to its initial state. */
  async reset(options?: CallOptions): Promise<void> {
    await this.#send('reset', [{ reset: 'yes' }, options])
    // The original services give the module a new session then.
    const { http, sessions } = this.context
    if (this.#inSetup && !http.extensions) await sessions.takeReset(this.#entry)
  }

  /**
   * Runs `work` while this client is the only writer of the slot, with the state that the module acknowledged last. Writes of the module
   * that it gets fail with `session-changed` in another session than that of the state.
   */
  async exclusively(
    holder: string,
    { signal }: CallOptions,
    work: (module: Module<C>, state: unknown) => Promise<void>,
  ): Promise<void> {
    const { http, secrets, leaseSecret } = this.context
    const isLeased = secrets.has(this.slot) || leaseSecret !== undefined
    const lease = isLeased ? undefined : await Lease.take(http, secrets, [this.slot], { holder, signal })
    try {
      const { modules } = await readState(http, { signal })
      const { session = '', state } = modules.find(({ slot, service }) => slot === this.slot && service === this.service) ?? {}
      await work(new Module(this.context, this.#contract, this.slot, this.#inSetup, session), state)
    } finally {
      await lease?.release()
    }
  }

  /** Calls `listener` when the module has a new session, or leaves. Returns a function that ends it. */
  onSession(listener: (change: SessionChange) => void): () => void {
    this.context.sessions.look()
    return this.context.sessions.changes.add((change) => {
      if (change.slot === this.slot) listener(change)
    })
  }

  /** Of `ModuleOf`: keeps a setup for this slot. */
  keepSetup(setup: () => Promise<unknown>): Promise<void> {
    return this.context.sessions.keep(this.#entry, setup)
  }

  async #send(name: string, args: readonly unknown[]): Promise<unknown> {
    const prepared = this.#prepared(name)
    const [input, options = {}] = (prepared.hasInput ? args : [{}, ...args]) as [Input | undefined, CallOptions?]
    const call = prepared.toCall(this.slot, input ?? {})
    const { http, sessions } = this.context
    try {
      return prepared.isWrite ? await this.#write(prepared, { ...call, ...options }) : await http.request({ ...call, ...options })
    } catch (error) {
      sessions.doubt(error)
      throw error
    }
  }

  #secretFor({ isDeviceWide }: PreparedCall): string | undefined {
    const { secrets, leaseSecret } = this.context
    const secret = isDeviceWide ? [...new Set(secrets.values())].join(',') : secrets.get(this.slot)
    return secret || leaseSecret
  }

  /** A write that gets 412 was not done: it is sent again after the setup of the new session, if there is one. */
  async #write(prepared: PreparedCall, call: ReturnType<PreparedCall['toCall']>): Promise<unknown> {
    const { http, sessions } = this.context
    const until = http.until(call)
    const left = (): number => Math.max(0, until - http.clock.now())
    for (;;) {
      if (!this.#inSetup && prepared.isGuarded) await sessions.gate(this.#entry, { ...call, deadlineMs: left() }, call)
      const session = this.#only ?? this.#entry.session
      const secret = this.#secretFor(prepared)
      const headers = {
        ...(prepared.isGuarded && http.extensions && session !== undefined ? { 'if-match': `"${session}"` } : {}),
        ...(secret === undefined ? {} : { 'slotwire-lease': secret }),
      }
      try {
        return await http.request({ ...call, deadlineMs: left(), headers })
      } catch (error) {
        if (!(error instanceof ClientError) || error.kind !== 'session-changed') throw error
        await sessions.refresh(this.service, { signal: call.signal, deadlineMs: left() }).catch(() => undefined)
        if (this.#inSetup || this.#only !== undefined || this.#entry.running === undefined) throw error
      }
    }
  }
}

/** Makes the module in a slot, with the calls of its type. */
export function moduleOf<Type extends ModuleClient>(
  context: ModuleContext,
  type: Type,
  slot: number,
  inSetup = false,
): ModuleOf<Type> {
  const module = new Module(context, type.contract, slot, inSetup)
  const calls = Object.keys(type.contract.endpoints).map((name) => [
    shortName(name),
    (...args: readonly unknown[]) =>
      (module.call as (name: string, ...args: readonly unknown[]) => unknown).call(module, name, ...args),
  ])
  const setup = (run: (module: ModuleOf<Type>) => Promise<unknown>): Promise<void> => {
    const own = moduleOf(context, type, slot, true)
    return module.keepSetup(() => run(own))
  }
  return Object.assign(module, Object.fromEntries(calls), type.extend(module), { setup }) as ModuleOf<Type>
}
