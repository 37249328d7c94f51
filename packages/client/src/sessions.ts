import { API_VERSION, type Contract, servicePath } from '@slotwire/contract'
import { isRecord, Listeners } from '@slotwire/core'
import { asError, ClientError, type ErrorKind } from './client-error.ts'
import { type Call, type CallOptions, type HttpClient, pauseMs } from './http-client.ts'

/** A module has another session: what was set is lost. `session` is undefined while it is not there. */
export interface SessionChange {
  readonly slot: number
  readonly service: string
  readonly session: string | undefined
  readonly previous: string | undefined
}

/** A setup ended: `error` says why it did not succeed, then it is tried again. */
export interface SetupResult {
  readonly slot: number
  readonly service: string
  readonly error?: unknown
}

/** Milliseconds between two looks at the sessions, while a setup or a listener needs them. */
const LOOK_EVERY_MS = 1000

/** Errors that a restart of the device may explain. */
const DOUBTFUL = new Set<ErrorKind>(['unreachable', 'restarting', 'not-found', 'module'])

/** Several messages of one event share a look, in milliseconds. */
const SOON_MS = 10

/** What a write does while the setup of its module runs. */
export type DuringSetup = 'wait' | 'fail'

/** An error of a listener is the program's: it must not end what this client does. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** The session of one slot, and the setup that belongs to it. */
export interface SlotSession {
  readonly slot: number
  readonly service: string
  session?: string | undefined
  /** The session that is set up. */
  ready?: string | undefined
  /** Runs the setup of the caller, with calls that pass the gate. */
  setup?: (() => Promise<unknown>) | undefined
  /** Set while a setup runs, or waits for the module. Resolves when it is done. */
  running?: Promise<void> | undefined
  /** The session that the running setup is for. */
  begun?: string | undefined
  /** Whether a reset of the running setup may still give the module a new session, as that of the original services does. */
  hasReset?: boolean
}

/** Spec "Versioning", rule 2: a client must not misbehave after an update of the server. */
function checkVersion(root: Readonly<Record<string, unknown>>): void {
  const version = isRecord(root['version']) ? root['version']['api'] : undefined
  const major = isRecord(version) ? version['major'] : undefined
  if (major === API_VERSION.major) return
  const text = `the API version of the server is ${JSON.stringify(version)}, this client knows ${API_VERSION.major}: use another version of the client`
  throw new ClientError(text, { kind: 'version' })
}

/** Keeps the sessions of all modules, and sets a module up again when it has a new one (spec "Generic endpoints", rule 3). */
export class Sessions {
  readonly changes = new Listeners<SessionChange>(throwLater)
  readonly setups = new Listeners<SetupResult>(throwLater)
  readonly #http: HttpClient
  readonly #duringSetup: DuringSetup
  readonly #slots = new Map<string, SlotSession>()
  readonly #drivers = new Map<string, unknown>()
  /** Numbers of the requests for version roots: the last, and by service the newest that was applied. */
  #requests = 0
  readonly #applied = new Map<string, number>()
  /** Why the version root of a service could not be read, until it is. */
  readonly #failures = new Map<string, unknown>()
  readonly #services: readonly string[]
  #isLooking = false
  /** Services whose sessions may have changed since the last look. */
  readonly #doubted = new Set<string>()
  #isDue = false

  constructor(http: HttpClient, contracts: readonly Contract[], duringSetup: DuringSetup) {
    this.#http = http
    this.#duringSetup = duringSetup
    this.#services = contracts.map(({ service }) => service)
  }

  /** The modules that are there, by slot. */
  get present(): readonly SlotSession[] {
    return [...this.#slots.values()].filter(({ session }) => session !== undefined).sort((a, b) => a.slot - b.slot)
  }

  /** Why the modules of a service are not known; undefined if they are. */
  failureOf(service: string): unknown {
    return this.#failures.get(service)
  }

  at(slot: number, service: string): SlotSession {
    const key = `${service}/${slot}`
    const entry = this.#slots.get(key) ?? { slot, service }
    this.#slots.set(key, entry)
    return entry
  }

  /** Reads the version root of a service, and takes its sessions over. Returns it; undefined if there is no such service. */
  async refresh(service: string, options: CallOptions = {}): Promise<Readonly<Record<string, unknown>> | undefined> {
    const number = ++this.#requests
    const root = await this.#root(service, options).catch((error: unknown) => {
      this.#failures.set(service, error)
      throw error
    })
    this.#failures.delete(service)
    // Answers may overtake each other: an old one must not bring an old session back.
    if (number < (this.#applied.get(service) ?? 0)) return root
    this.#applied.set(service, number)
    const driver = root?.['driver_session']
    const isNewDriver = driver !== undefined && (this.#drivers.get(service) ?? driver) !== driver
    if (driver !== undefined) this.#drivers.set(service, driver)
    const occupied = new Set<number>()
    for (const device of (root?.['devices'] ?? []) as readonly unknown[]) {
      if (!isRecord(device)) continue
      const { slot_number: slot, device_session: session } = device
      if (!Number.isInteger(slot) || typeof session !== 'string') continue
      occupied.add(Number(slot))
      this.seen(Number(slot), service, session, isNewDriver)
    }
    for (const { slot, service: of } of this.present)
      if (of === service && !occupied.has(slot)) this.seen(slot, service, undefined)
    return root
  }

  async #root(service: string, options: CallOptions): Promise<Readonly<Record<string, unknown>> | undefined> {
    const path = `${servicePath(service)}/`
    try {
      const accepts = (root: unknown): boolean => isRecord(root) && Array.isArray(root['devices'])
      const root = await this.#http.request({ ...options, method: 'GET', path, safe: true, accepts })
      checkVersion(root as Readonly<Record<string, unknown>>)
      return root as Readonly<Record<string, unknown>>
    } catch (error) {
      if (error instanceof ClientError && error.kind === 'not-found') return undefined
      throw error
    }
  }

  /** After a reset in a setup, on a server that may give the module a new session then. A later one is that of another restart. */
  async takeReset(entry: SlotSession): Promise<void> {
    await this.refresh(entry.service).catch(() => undefined)
    if (entry.session === entry.begun || entry.session === undefined) entry.hasReset = true
    else entry.begun = entry.session
  }

  /** Takes a session over, seen in the version root, the event stream, or a 412. `isNewDriver`: the driver has a new session. */
  seen(slot: number, service: string, session: string | undefined, isNewDriver = false): void {
    const entry = this.at(slot, service)
    const previous = entry.session
    if (previous === session && !isNewDriver) return
    entry.session = session
    // A setup that runs compares at its end.
    if (entry.running !== undefined) return
    this.changes.emit({ slot, service, session, previous })
    if (session !== undefined && entry.setup !== undefined) void this.#start(entry)
  }

  /** Something failed in a way that a restart may explain: the next write to a module with a setup looks at the session first. */
  doubt(error: unknown): void {
    if (error instanceof ClientError && DOUBTFUL.has(error.kind)) for (const service of this.#services) this.#doubted.add(service)
  }

  /** Runs `setup` now, and again in each new session of the module. Rejects if the first run fails; then nothing is kept. */
  async keep(entry: SlotSession, setup: () => Promise<unknown>): Promise<void> {
    while (entry.running !== undefined) await entry.running
    const previous = entry.setup
    entry.setup = setup
    const first = new Promise<void>((resolve, reject) => {
      const stop = this.setups.add(({ slot, error }) => {
        if (slot !== entry.slot) return
        stop()
        if (error === undefined) resolve()
        else reject(asError(error))
      })
      const text = `the module in slot ${entry.slot} left during its setup`
      void this.#start(entry).then(() => {
        stop()
        reject(new ClientError(text, { kind: 'not-found', canRetry: true }))
      })
    })
    try {
      await first
    } catch (error) {
      entry.setup = previous
      throw error
    }
    this.look()
  }

  #start(entry: SlotSession): Promise<void> {
    entry.running ??= this.#run(entry).then(() => {
      entry.running = undefined
      // A session that came in the last moment.
      const isLate = entry.setup !== undefined && entry.session !== undefined && entry.session !== entry.ready
      return isLate && !this.#http.closed ? this.#start(entry) : undefined
    })
    return entry.running
  }

  async #run(entry: SlotSession): Promise<void> {
    const { slot, service } = entry
    const { clock, random, closing } = this.#http
    for (let attempt = 0; entry.setup !== undefined && !closing.aborted; attempt++) {
      const previous = entry.session
      entry.begun = previous
      entry.hasReset = false
      let failure: { readonly error: unknown } | undefined
      try {
        await entry.setup()
      } catch (error) {
        failure = { error }
        this.setups.emit({ slot, service, error })
        await clock.sleep(pauseMs(attempt, random), closing).catch(() => undefined)
      }
      // Without an answer the next look compares.
      await this.refresh(service).catch(() => undefined)
      const isSame = entry.session === entry.begun || (entry.hasReset && entry.session !== undefined)
      if (failure === undefined && isSame) {
        entry.ready = entry.session
        this.setups.emit({ slot, service })
        return
      }
      if (!isSame) this.changes.emit({ slot, service, session: entry.session, previous })
      if (entry.session === undefined) return
    }
  }

  /** Lets a write continue, wait for a running setup, or fail. */
  async gate(
    entry: SlotSession,
    { signal, deadlineMs = this.#http.deadlineMs }: CallOptions,
    { method, path }: Pick<Call, 'method' | 'path'>,
  ): Promise<void> {
    const request = `${method} ${path}`
    const until = this.#http.until({ deadlineMs })
    if (entry.setup !== undefined && this.#doubted.has(entry.service)) {
      this.#doubted.delete(entry.service)
      try {
        await this.refresh(entry.service, { signal, deadlineMs })
      } catch (error) {
        this.#doubted.add(entry.service)
        throw error
      }
    }
    if (entry.running === undefined) return
    const error = new ClientError(
      `${request}: the module in slot ${entry.slot} has a new session and is being set up: try again later`,
      {
        kind: 'session-changed',
        request,
        canRetry: true,
      },
    )
    if (this.#duringSetup === 'fail') throw error
    signal?.throwIfAborted()
    const { running } = entry
    await new Promise<void>((resolve, reject) => {
      const timer = this.#http.clock.after(Math.max(0, until - this.#http.clock.now()), () => end(() => reject(error)))
      const unlisten = this.#http.onAbort(signal, () => end(() => reject(signal?.reason as Error)))
      const end = (settle: () => void): void => {
        timer.cancel()
        unlisten()
        settle()
      }
      void running.then(() => end(resolve))
    })
  }

  /** Something happened to a module: looks at once, if a setup or a listener needs the sessions. */
  lookNow(): void {
    if (!this.#isLooking || this.#isDue) return
    this.#isDue = true
    void this.#http.clock.sleep(SOON_MS, this.#http.closing).then(
      () => {
        this.#isDue = false
        return this.#lookAtAll()
      },
      () => undefined,
    )
  }

  /** Looks at the sessions from now on, once a second, until the client is closed. */
  look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#lookOn()
  }

  async #lookOn(): Promise<void> {
    const { clock, closing } = this.#http
    while (!closing.aborted) {
      await clock.sleep(LOOK_EVERY_MS, closing).catch(() => undefined)
      await this.#lookAtAll()
    }
  }

  /** A device that restarts, or cannot be reached, has its next look in a second. */
  async #lookAtAll(): Promise<void> {
    const options = { deadlineMs: LOOK_EVERY_MS, signal: this.#http.closing }
    await Promise.allSettled(this.#services.map((service) => this.refresh(service, options)))
  }
}
