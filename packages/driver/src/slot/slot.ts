import {
  type Clock,
  coreErrors,
  LinkError,
  Listeners,
  type Log,
  type ModuleDescriptor,
  type Random,
  type SlotLink,
  type SlotwireError,
  sessionIdentifier,
  type Version,
  withDeadline,
} from '@slotwire/core'
import {
  type AnyCommand,
  type Command,
  decodeNotification,
  decodeResponse,
  encodeRequest,
  ModuleRefusal,
  modeRun,
  modeSuspend,
  SdbpError,
} from '@slotwire/sdbp'
import { Bus, type BusLoss } from './bus.ts'
import { Heartbeat } from './heartbeat.ts'
import {
  type LimitedWarnings,
  limitWarnings,
  NotificationLog,
  PendingNotifications,
  type ReadNotification,
} from './notification-log.ts'
import { RequestQueue } from './request-queue.ts'
import { SharedReads } from './shared-reads.ts'
import { type Exchange, type Job, type SlotEvent, SlotNeeded, type WriteOptions } from './slot-api.ts'
import type { SlotStatistics } from './slot-statistics.ts'
import { closeLink, restartModule, startModule } from './start-up.ts'

/** Longest wait for the backplane to read a descriptor, in milliseconds: more than 20 × 100 ms (wire-protocol.md section 3). */
export const DESCRIPTOR_DEADLINE_MS = 3000

/** How often a failed exchange is repeated; wire-protocol.md section 3. */
export const MAX_RETRIES = 3

/** After so long without a frame a module has fallen to SUSPEND, in milliseconds: a second and a margin; twin.md. */
export const FALL_BACK_MS = 1100

/** Why a slot ends: the module left, it hangs, the whole device restarts, or the driver stops. */
export type SlotEnd = 'lost' | 'hung' | 'restarting' | 'stopping'

export interface SlotOptions {
  readonly link: SlotLink
  /** As read before the module was opened. */
  readonly descriptor: ModuleDescriptor
  /** Reads the current descriptor from the backplane. */
  readonly readDescriptor: () => Promise<ModuleDescriptor>
  /** Whether the whole device is restarting: then a missing link does not mean a lost module. */
  readonly deviceRestarting: () => boolean
  readonly clock: Clock
  readonly random: Random
  readonly heartbeatPhaseMs: number
  readonly log: Log
  /** Continues the counters of the previous module in this slot. */
  readonly statistics: SlotStatistics
  /** Most jobs that may wait for this slot. */
  readonly queueLimit?: number | undefined
  /** Fastest bus clock to use, in kilohertz; by default the module's own maximum. */
  readonly sclkCapKhz?: number | undefined
  /** What this module's notifications mean, for the log. */
  readonly readNotification?: ReadNotification | undefined
  /** Closes a hung module when it is its turn: this keeps the bus of its neighbours busy. */
  readonly closeInTurn: (close: () => Promise<void>) => Promise<void>
  /** A reading command that the module executes only while it runs: shows whether it has restarted. */
  readonly probe?: Command<Record<never, never>, unknown> | undefined
  /** So long the module must acknowledge every heartbeat before it is started, in milliseconds; default 0. */
  readonly probationMs?: number | undefined
  /** Called with the bytes of each valid notification, before other listeners: once, however often its alerts are merged or delivered. */
  readonly onNotification?: ((slot: Slot, bytes: Uint8Array) => void) | undefined
}

/** One module that this process drives, from opening to loss; see architecture.md "Driver". */
export class Slot {
  readonly slot: number
  readonly vendorProductId: string
  /** The module's protocol version, as read when it was opened. */
  readonly protocolVersion: Version
  readonly notifications = new PendingNotifications()
  readonly #bus: Bus
  readonly #queue: RequestQueue
  readonly #reads = new SharedReads()
  readonly #heartbeat: Heartbeat
  readonly #notificationLog: NotificationLog
  readonly #notificationWarnings: LimitedWarnings
  readonly #listeners: Listeners<SlotEvent>
  #session: string
  /** Whether the module has acknowledged a MODE_RUN since it was last suspended. Before that it has no valid notifications (decision 0070). */
  #runs = false
  /** When it was suspended last. */
  #suspendedMs = Number.NEGATIVE_INFINITY
  #end: SlotEnd | undefined
  #closed: Promise<void> = Promise.resolve()

  constructor(private readonly options: SlotOptions) {
    const { link, clock, log, statistics } = options
    this.slot = link.slot
    this.vendorProductId = options.descriptor.vendorProductId
    this.protocolVersion = options.descriptor.protocolVersion
    this.#session = sessionIdentifier(options.random)
    this.#listeners = new Listeners((err) => log.error({ err }, 'a listener failed'))
    this.#queue = new RequestQueue({ slot: link.slot, clock, statistics, limit: options.queueLimit })
    this.#bus = new Bus({
      link,
      clock,
      statistics,
      probe: options.probe && encodeRequest(options.probe, {}),
      onRestart: () => {
        log.warn({ slot: link.slot }, 'the module has restarted without leaving its slot')
        this.#heartbeat.loseState()
      },
      onLoss: (loss, reason) => this.#onLoss(loss, reason),
    })
    this.#heartbeat = new Heartbeat({
      ...options,
      slot: link.slot,
      bus: this.#bus,
      onRun: (sentMs) => {
        if (sentMs >= this.#suspendedMs) this.#runs = true
      },
      onGap: () => this.#onGap(),
      restart: () => this.#queue.addFirst(() => this.#run(restartModule)),
      onDead: (reason) => this.#onLoss('hung', reason),
    })
    this.#notificationLog = new NotificationLog({ slot: link.slot, clock, log, read: options.readNotification })
    this.#notificationWarnings = limitWarnings(clock, log)
    link.onNotification((payload) => this.#onNotification(payload))
  }

  /** `device_session` of the specification. */
  get session(): string {
    return this.#session
  }

  /** Whether the session ends with the next heartbeat: the module was without one for too long. */
  get sessionEnds(): boolean {
    return this.#heartbeat.isLate
  }

  /** Resolves when the link has been closed, or `SLOW_CLOSE_DEADLINE_MS` after the end. Then the module may be opened again. Never rejects. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** When the module last ran for sure. */
  get lastRunMs(): number {
    return this.#heartbeat.lastRunMs
  }

  /** Number of jobs that wait for the module. */
  get waitingJobs(): number {
    return this.#queue.length
  }

  /** Why this slot has ended; undefined while it lives. */
  get ended(): SlotEnd | undefined {
    return this.#end
  }

  /** What is stuck in the driver here; undefined: nothing. A hung module is given up, so it does not count. */
  get stuck(): string | undefined {
    const beat = this.#heartbeat.stuckSeconds
    if (beat !== undefined) return `a heartbeat has not ended for ${beat} s`
    const job = this.#queue.stuckSeconds
    return job === undefined ? undefined : `a request has not ended for ${job} s`
  }

  /** Starts the module and keeps it running. Throws `FirmwareNotSupported`, or what an exchange throws. */
  async start(): Promise<void> {
    await this.#queue.add(() => this.#run((exchange) => startModule(exchange, { ...this.options, slot: this.slot })))
    const { clock, statistics, probationMs = 0 } = this.options
    const failed = statistics.failedHeartbeats
    if (probationMs > 0) await clock.sleep(probationMs)
    if (this.#end !== undefined) throw this.#endError(this.#end)
    if (failed !== statistics.failedHeartbeats) throw new Error('the module does not acknowledge every heartbeat')
    statistics.sessions++
  }

  /** After this job the module runs, in its initial state. */
  async #run(job: Job<void>): Promise<void> {
    await job(this.#watched(this.#exchangeOf()))
    if (this.#end === undefined) this.#heartbeat.start()
  }

  /**
   * Reads the current descriptor from the backplane. Throws `descriptorNotRead` if that fails or takes too long, and the slot's own
   * reason when it has ended.
   */
  async descriptor(): Promise<ModuleDescriptor> {
    if (this.#end !== undefined) throw this.#endError(this.#end)
    const { clock, readDescriptor, deviceRestarting } = this.options
    try {
      return await withDeadline(clock, DESCRIPTOR_DEADLINE_MS, readDescriptor(), 'no descriptor')
    } catch (error) {
      const gone = error instanceof LinkError && error.failure === 'gone'
      const end = this.#end ?? (deviceRestarting() ? 'restarting' : gone ? 'lost' : undefined)
      throw end === undefined
        ? coreErrors.descriptorNotRead({ slot: this.slot }, { cause: error })
        : this.#endError(end, { cause: error })
    }
  }

  /** Runs a job with an effect. Rejects with `queueFull` at once if too many wait. */
  write<Result>(job: Job<Result>, { turn, limit, wait, before }: WriteOptions = {}): Promise<Result> {
    const inTurn = async (endOvertaken?: () => void): Promise<Result> => {
      if (wait !== undefined) await wait.end()
      before?.()
      if (turn === 'clears') endOvertaken?.()
      let hasSent = false
      const onSent = (): void => {
        hasSent = true
      }
      try {
        return await job(this.#exchangeOf(onSent))
      } finally {
        // A write that failed may have changed something.
        if (hasSent) this.#listeners.emit('written')
      }
    }
    const waiting = { isWrite: true, onWait: () => wait?.begin() }
    return turn === undefined ? this.#queue.add(inTurn, waiting) : this.#queue.addFirst(inTurn, limit, waiting)
  }

  /**
   * Runs a job without effect, shared among callers with the same `key`. A plain call joins even a job that has begun, a `fresh` one only
   * a job that has sent nothing.
   */
  read<Result>(key: string, options: { readonly fresh: boolean }, job: Job<Result>): Promise<Result> {
    return this.#reads.join(key, options.fresh, (markSent) => this.#queue.add(async () => job(this.#exchangeOf(markSent))))
  }

  /**
   * Runs a job without effect, not shared, when no other job waits. Its next exchange throws `SlotNeeded` if one does. Only one can wait
   * for this: a second is refused with `queueFull`.
   */
  readWhenIdle<Result>(job: Job<Result>): Promise<Result> {
    return this.#queue.addIdle(async () => job(this.#exchangeOf(undefined, true)))
  }

  /** MODE_SUSPEND, UPDATE_DESCRIPTOR, MODE_RUN, and drops pending notifications: spec "reset". A job for a write. */
  readonly reset: Job<void> = async (exchange) => {
    await restartModule(this.#watched(exchange, () => this.notifications.clear()))
    this.#listeners.emit('reset')
  }

  /** Calls `listener` on each event until the returned function is called. */
  subscribe(listener: (event: SlotEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  /** Fails waiting and later requests with `stopping`. Running ones continue, and the slot lives. */
  refuseWaiting(): void {
    this.#queue.close(this.#endError('stopping'))
  }

  /** Ends this slot: waiting requests fail at once, the link is closed. A second call has no effect. */
  end(reason: SlotEnd): void {
    const { link, clock, log, closeInTurn } = this.options
    if (reason !== 'hung') this.#finish(reason, () => closeLink(link, clock, log, reason !== 'lost'))
    else this.#finish(reason, () => closeInTurn(() => closeLink(link, clock, log)))
  }

  /**
   * Gives up a module that does not obey and may be in an unsafe state. Closes its file and leaves it alone until it has fallen to
   * SUSPEND, even if the close fails. Then the slot is opened again. Resolves at that moment; never rejects.
   */
  giveUp(): Promise<void> {
    const { link, clock, log, closeInTurn } = this.options
    this.#finish('hung', async () => {
      await closeInTurn(() => closeLink(link, clock, log))
      await clock.sleep(FALL_BACK_MS)
    })
    return this.#closed
  }

  #finish(reason: SlotEnd, close: () => Promise<void>): void {
    if (this.#end !== undefined) return
    this.#end = reason
    this.#heartbeat.stop()
    this.#bus.close()
    this.#queue.close(this.#endError(reason))
    this.notifications.clear()
    this.#notificationLog.close()
    this.#closed = close()
    this.#listeners.emit('lost')
  }

  /** Notices whether the module runs. Does so at once: a heartbeat may restart the module before the descriptor is updated. */
  #watched(exchange: Exchange, onSuspended?: () => void): Exchange {
    return async (command, request) => {
      const response = await exchange(command, request)
      if (command.name === modeRun.name) this.#runs = true
      if (command.name !== modeSuspend.name) return response
      this.#runs = false
      this.#suspendedMs = this.options.clock.now()
      onSuspended?.()
      return response
    }
  }

  /**
   * Exchanges of one job, repeated where that is safe. `onSent`: an operation frame is being sent. `isIdle`: `SlotNeeded` as soon as another
   * job waits. Throws `ModuleRefusal` unchanged, `moduleFailed` without an answer, `moduleAnswerInvalid` without a valid one, and the slot's
   * own reason when it has ended.
   */
  #exchangeOf(onSent?: () => void, isIdle = false): Exchange {
    const { log, statistics } = this.options
    return async (command, request) => {
      const payload = encodeRequest(command, request)
      for (let attempt = 1; ; attempt++) {
        // Even a retry must not delay a waiting job.
        if (isIdle && this.#queue.length > 0) throw new SlotNeeded()
        try {
          return decodeResponse(command, await this.#bus.send(payload, onSent))
        } catch (error) {
          if (error instanceof ModuleRefusal || !(error instanceof LinkError || error instanceof SdbpError)) throw error
          if (error instanceof SdbpError) statistics.failures.garbled++
          const isTransient = error instanceof SdbpError || error.failure === 'transfer-failed' || error.failure === 'busy'
          if (!command.repeatable || attempt > MAX_RETRIES || !isTransient) throw this.#failureOf(command, attempt, error)
          statistics.retries++
          const fields = { slot: this.slot, command: command.name, attempt, reason: error.message }
          log.warn(fields, 'exchange failed, trying again')
        }
      }
    }
  }

  #failureOf(command: AnyCommand, attempts: number, cause: LinkError | SdbpError): SlotwireError {
    if (this.#end !== undefined) return this.#endError(this.#end, { isRunning: true })
    if (cause instanceof LinkError)
      return coreErrors.moduleFailed({ slot: this.slot, command: command.name, attempts }, { cause })
    return coreErrors.moduleAnswerInvalid({ slot: this.slot, command: command.name }, { cause })
  }

  #endError(
    end: SlotEnd,
    { isRunning = false, ...options }: ErrorOptions & { readonly isRunning?: boolean } = {},
  ): SlotwireError {
    if (end === 'restarting') return coreErrors.deviceRestarting(options)
    if (end === 'stopping') return coreErrors.stopping(options)
    const outcome = isRunning ? 'the request may have been executed' : 'the request was not sent'
    if (end === 'hung') return coreErrors.moduleHung({ slot: this.slot, outcome }, options)
    return coreErrors.moduleLost({ slot: this.slot }, options)
  }

  #onLoss(loss: BusLoss, reason: string): void {
    const isGone = loss === 'gone'
    const what = isGone ? 'the module is out of reach' : 'the module hangs and is given up'
    this.options.log.warn({ slot: this.slot, reason }, what)
    this.end(this.options.deviceRestarting() ? 'restarting' : isGone ? 'lost' : 'hung')
  }

  #onGap(): void {
    if (this.#end !== undefined) return
    this.options.statistics.sessions++
    this.#session = sessionIdentifier(this.options.random)
    this.options.log.warn(
      { slot: this.slot },
      'the module was without heartbeat for too long, or restarted: its state may be lost, new session',
    )
    this.#listeners.emit('session')
  }

  #onNotification(payload: Uint8Array): void {
    // A notification from a module that does not run is an old one that the kernel kept.
    if (this.#end !== undefined || !this.#runs) return
    try {
      const bytes = decodeNotification(payload)
      if (bytes === undefined) return
      this.options.statistics.notifications++
      this.#notificationLog.add(bytes, this.notifications.merge(bytes))
      this.options.onNotification?.(this, bytes)
      this.#listeners.emit('notified')
    } catch (error) {
      // A malformed notification needs no stack in the log; any other error is a bug.
      const what = error instanceof SdbpError ? { reason: error.message } : { err: error }
      this.#notificationWarnings.warn({ slot: this.slot, ...what }, 'a malformed notification is dropped')
    }
  }
}

/** One usable module, as services see it. */
export type SlotApi = Omit<Slot, 'closed' | 'end' | 'ended' | 'lastRunMs' | 'refuseWaiting' | 'start' | 'stuck' | 'waitingJobs'>
