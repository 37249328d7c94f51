import { type Clock, LinkError, type ModuleDescriptor, Mutex, messageOf, type SlotLink } from '@slotwire/core'
import type { CommandCode, Frame } from '@slotwire/sdbp'
import {
  commandCodeOf,
  DEFAULT_FRAME_SIZE,
  decodeFrame,
  decodeRequest,
  decodeResponse,
  dummyFrame,
  encodeFrame,
  encodeRequest,
  getNotification,
  MessageType,
  maxPayloadSize,
  modeRun,
  modeSuspend,
  SdbpError,
  setFrameSize,
  setSclkSpeed,
  throwIfTransactionError,
  updateDescriptor,
  waitForResponse,
} from '@slotwire/sdbp'
import type { BusTiming, ModuleEnd } from './module-end.ts'
import { readDescriptor } from './read-descriptor.ts'

/** Time that a module has to pulse for its response; wire-protocol.md section 1. */
export const RESPONSE_TIMEOUT_MS = 250
/** Time that a module has to pulse once more after its response: clear to send. A later pulse counts as a notification. */
export const CLEAR_TO_SEND_MS = 3
/** A write gives up when the bus has been busy for so long. */
export const BUSY_LIMIT_MS = 400
/** A write that takes longer is late: half of what wire-protocol.md section 1 says. */
const LATE_WRITE_MS = 100
/** SCLK after power-up, and for reading the descriptor while the slot is closed. */
const DEFAULT_SCLK_KHZ = 100
/** How often a dummy frame is sent in total if no valid response comes. */
const DUMMY_ATTEMPTS = 2
/** How much lateness of a timer is made up for, so that a busy bus keeps its rate. */
const CATCH_UP_MS = 2
/** Transfers within this time of each other count as back to back. */
const BACK_TO_BACK_MS = 2

/** Commands that change settings which the host must apply too. */
const HOST_SETTINGS: readonly CommandCode[] = [setFrameSize, setSclkSpeed, updateDescriptor]
const notificationRequest = encodeRequest(getNotification, {})

function isSame(code: CommandCode, command: CommandCode): boolean {
  return code.classIdentifier === command.classIdentifier && code.class === command.class && code.operation === command.operation
}

/**
 * The host's end of one slot's bus, as the kernel driver on a device: framing, CRC, repeated dummies, WAIT, interrupt line, SCLK, frame
 * size and descriptor; wire-protocol.md sections 1 and 3.
 */
export class HostController implements SlotLink {
  readonly #lock = new Mutex()
  #frameSize = DEFAULT_FRAME_SIZE
  #sclkKhz = DEFAULT_SCLK_KHZ
  /** Nominal time at which the bus becomes free; a timer may fire later. */
  #busUntil = 0
  #transferredAt = Number.NEGATIVE_INFINITY
  #descriptor: ModuleDescriptor | undefined
  #listener: ((payload: Uint8Array) => void) | undefined
  #onSent: (() => void) | undefined
  #gone = false
  #exchanging = false
  /** A frame is on the wire: nothing may shorten it. */
  #transferring = false
  /** Pulses of the module that have not been understood yet. */
  #pulses = 0
  #wake: (() => void) | undefined
  #notificationDue = false
  #lineIsLow = false
  #failedNotifications = 0
  #onRestart: (() => void) | undefined
  /** Called when the host takes the module for a missing one. */
  onMissing: () => void = () => undefined
  /** Whether the last notification has not been read. The host keeps one, and fetches no other before that. */
  isUnread: () => boolean = () => false

  constructor(
    readonly slot: number,
    private readonly module: ModuleEnd,
    private readonly clock: Clock,
    private readonly timing: BusTiming,
  ) {
    module.onPulse = this.#onPulse
  }

  /** The descriptor as last read; undefined before `connect`. Without texts if the last attempt to read it failed. */
  get descriptor(): ModuleDescriptor | undefined {
    return this.#descriptor
  }

  /** The descriptor; reads it again if the last attempt failed. Rejects with `LinkError`. */
  async intactDescriptor(): Promise<ModuleDescriptor> {
    if (this.#descriptor?.vendorProductId !== '') return this.#descriptor ?? this.#readDescriptor()
    return this.#lock.run(() => this.#readDescriptor())
  }

  /** How many notifications could not be fetched. */
  get failedNotifications(): number {
    return this.#failedNotifications
  }

  /** A restarting module holds its interrupt line low. Like every pulse, that announces a notification. */
  set lineIsLow(isLow: boolean) {
    this.#lineIsLow = isLow
    if (isLow) this.#onPulse()
  }

  /** Reads the descriptor of a new module. */
  async connect(): Promise<void> {
    await this.#lock.run(() => this.#readDescriptor())
  }

  exchange(payload: Uint8Array): Promise<Uint8Array> {
    const fromMs = this.clock.now()
    const failedBefore = this.#failedNotifications
    const turn = { hasBegun: false, isGivenUp: false }
    const busy = (): LinkError => new LinkError('busy', 'the bus was busy')
    const done = this.#lock.run(async () => {
      if (turn.isGivenUp) throw busy()
      turn.hasBegun = true
      if (this.#lineIsLow) await this.#fetchNotification()
      const lateMs = this.clock.now() - fromMs
      if (payload.length > maxPayloadSize(this.#frameSize)) {
        throw new LinkError('too-long', `payload of ${payload.length} bytes: at most ${maxPayloadSize(this.#frameSize)}`)
      }
      const notificationFailed = this.#failedNotifications > failedBefore
      const response = await this.#exchange(payload, this.#onSent)
      if (notificationFailed && lateMs > LATE_WRITE_MS && isSame(commandCodeOf(payload), modeRun)) this.#onRestart?.()
      const [classIdentifier, group, operation] = payload
      if (
        HOST_SETTINGS.some((one) => one.operation === operation && one.class === group && one.classIdentifier === classIdentifier)
      )
        await this.#applyToHost(payload, response)
      if (this.#notificationDue) await this.#fetchNotification()
      return response
    })
    // It gives up when the bus has been busy for too long.
    if (turn.hasBegun) return done
    return new Promise((resolve, reject) => {
      const limit = this.clock.after(BUSY_LIMIT_MS, () => {
        if (turn.hasBegun) return
        turn.isGivenUp = true
        reject(busy())
      })
      done.then(resolve, reject).finally(() => limit.cancel())
    })
  }

  /** Call this when the unread notification has been read: the host fetches one that is due. */
  wasRead(): void {
    if (this.#notificationDue) void this.#lock.run(() => this.#fetchNotification())
  }

  onOperationSent(listener: () => void): void {
    this.#onSent = listener
  }

  onRestart(listener: () => void): void {
    this.#onRestart = listener
  }

  onNotification(listener: (payload: Uint8Array) => void): void {
    this.#listener = listener
  }

  /** Suspends the module, as the kernel does when the file is closed. */
  async close(): Promise<void> {
    this.#listener = undefined
    this.#onSent = undefined
    this.#onRestart = undefined
    await this.#lock.run(async () => {
      this.#sclkKhz = DEFAULT_SCLK_KHZ
      // A module that cannot be reached falls back to SUSPEND by itself.
      for (const work of [() => this.#exchange(encodeRequest(modeSuspend, {})), () => this.#readDescriptor()]) {
        await work().catch((error: unknown) => {
          if (!(error instanceof LinkError)) throw error
        })
      }
    })
  }

  /** The module left: everything that waits for it fails now. */
  abandon(): void {
    this.#gone = true
    if (this.module.onPulse === this.#onPulse) this.module.onPulse = () => undefined
    this.#wake?.()
  }

  /** A descriptor that could not be read is not kept: its texts are empty until the next attempt succeeds. */
  async #readDescriptor(): Promise<ModuleDescriptor> {
    try {
      this.#descriptor = await readDescriptor((payload) => this.#exchange(payload))
      return this.#descriptor
    } catch (error) {
      if (this.#descriptor !== undefined)
        this.#descriptor = { ...this.#descriptor, vendorProductId: '', vendorName: '', productName: '' }
      if (!(error instanceof SdbpError)) throw error
      throw new LinkError('transfer-failed', `the descriptor could not be read: ${error.message}`)
    }
  }

  /**
   * Exchanges an operation for its response, without retrying the operation. Awaits nothing that takes no time: the host talks to many
   * modules ten times a second.
   */
  async #exchange(payload: Uint8Array, onSent?: () => void): Promise<Uint8Array> {
    this.#exchanging = true
    try {
      this.#throwIfGone()
      if (this.#transferMs > 0) await this.#occupy(this.#transferMs)
      const acknowledgement = this.#transfer({ type: MessageType.operation, notificationPending: false, payload }, onSent)
      for (;;) {
        const response = await this.#readResponse()
        const wait = judged(() => waitTimeMs(response))
        if (wait === undefined) {
          if (this.#pulses === 0) await this.#sleep(CLEAR_TO_SEND_MS)
          // A second pulse announces a notification.
          this.#pulses = Math.max(0, this.#pulses - 1)
          judged(() => throwIfTransactionError(response))
          // The module may have executed the operation nevertheless.
          if (acknowledgement === undefined) throw new LinkError('transfer-failed', 'the operation was not acknowledged')
          return response
        }
        await this.#sleep(wait)
        this.#throwIfGone()
        this.#busUntil = this.clock.now()
      }
    } finally {
      this.#exchanging = false
      this.#noteNotificationPulse()
    }
  }

  async #readResponse(): Promise<Uint8Array> {
    for (let attempt = 0; attempt < DUMMY_ATTEMPTS; attempt++) {
      if (this.#pulses === 0) await this.#awaitPulse()
      this.#pulses = 0
      this.#throwIfGone()
      if (this.#transferMs > 0) await this.#occupy(this.#transferMs)
      const frame = this.#transfer(dummyFrame)
      if (frame?.type !== MessageType.response) continue
      if (frame.notificationPending) this.#notificationDue = true
      return frame.payload
    }
    this.#pulses = 0
    throw new LinkError('transfer-failed', 'no valid response frame')
  }

  /** Duration of one transfer. */
  get #transferMs(): number {
    return this.timing.transferMs(this.#frameSize, this.#sclkKhz)
  }

  /** Makes one full-duplex transfer at its end time; returns undefined if the module's frame was garbled. */
  #transfer(frame: Frame, onSent?: () => void): Frame | undefined {
    this.#throwIfGone()
    this.#noteNotificationPulse()
    onSent?.()
    const received = this.module.transfer(encodeFrame(frame, this.#frameSize))
    try {
      return decodeFrame(received)
    } catch (error) {
      if (!(error instanceof SdbpError)) throw error
      return undefined
    }
  }

  async #occupy(ms: number): Promise<void> {
    const now = this.clock.now()
    // Make up for noticing the end of the last transfer late, but not for the time in which the bus was idle.
    const lateMs = Math.min(Math.max(0, this.#transferredAt - this.#busUntil), CATCH_UP_MS)
    const backToBack = now - this.#transferredAt <= BACK_TO_BACK_MS
    this.#busUntil = Math.max(this.#busUntil, backToBack ? now - lateMs : now) + ms
    this.#transferring = true
    await this.#sleep(this.#busUntil - now, true)
    this.#transferring = false
    this.#transferredAt = this.clock.now()
  }

  /** Sleeps, at most until the module leaves. */
  #sleep(ms: number, awake = false): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.after(Math.max(0, ms), resolve, awake)
      this.#wake = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  async #awaitPulse(): Promise<void> {
    await this.#sleep(RESPONSE_TIMEOUT_MS)
    this.#throwIfGone()
    if (this.#pulses === 0) throw new LinkError('transfer-failed', `no response within ${RESPONSE_TIMEOUT_MS} ms`)
    // The module's time ends when its response is ready, not when the timer fires: the next transfer is back to back.
    this.#busUntil += this.timing.latencyMs
    this.#transferredAt = this.clock.now()
  }

  /** A pulse that announced no response announces a notification. */
  #noteNotificationPulse(): void {
    if (this.#pulses > 0) this.#notificationDue = true
    this.#pulses = 0
  }

  readonly #onPulse = (): void => {
    if (this.#exchanging) {
      this.#pulses++
      if (!this.#transferring) this.#wake?.()
      return
    }
    this.#notificationDue = true
    if (this.isUnread()) this.#drop()
    else void this.#lock.run(() => this.#fetchNotification())
  }

  /** While a notification is unread, the kernel takes the low line of another for a missing module. Closing its file then suspends it. */
  #drop(): void {
    this.onMissing()
    void this.close().then(() => this.abandon())
  }

  async #fetchNotification(): Promise<void> {
    if (!(this.#notificationDue || this.#lineIsLow) || this.#gone || this.isUnread()) return
    this.#notificationDue = false
    try {
      this.#listener?.(await this.#exchange(notificationRequest))
    } catch (error) {
      if (!(error instanceof LinkError)) throw error
      // It stays due: the host tries again after the next exchange, at the latest after the heartbeat.
      this.#notificationDue = true
      this.#failedNotifications++
      if (this.#gone || !this.#lineIsLow) return
      this.abandon()
      this.onMissing()
      return
    }
    // Another notification came meanwhile. Fetch it after the callers that already wait for the bus.
    if (this.#notificationDue) void this.#lock.run(() => this.#fetchNotification())
  }

  /** Applies frame size, clock speed or descriptor on the host's side after the module accepted the change. */
  async #applyToHost(payload: Uint8Array, response: Uint8Array): Promise<void> {
    const code = commandCodeOf(payload)
    try {
      if (isSame(code, setFrameSize)) {
        decodeResponse(setFrameSize, response)
        this.#frameSize = decodeRequest(setFrameSize, payload).bytes
      } else if (isSame(code, setSclkSpeed)) {
        decodeResponse(setSclkSpeed, response)
        this.#sclkKhz = decodeRequest(setSclkSpeed, payload).kilohertz
      } else if (isSame(code, updateDescriptor)) await this.#readDescriptor()
    } catch (error) {
      // The module refused: the kernel keeps the old values.
      if (!(error instanceof SdbpError)) throw error
    }
  }

  #throwIfGone(): void {
    if (this.#gone) throw new LinkError('gone', `the module in slot ${this.slot} left`)
  }
}

/** Throws `LinkError` for an invalid response. */
function judged<Result>(judge: () => Result): Result {
  try {
    return judge()
  } catch (error) {
    throw new LinkError('transfer-failed', messageOf(error))
  }
}

/** Time of a WAIT response in ms; undefined for any other response. */
function waitTimeMs(response: Uint8Array): number | undefined {
  if (!isSame(commandCodeOf(response), waitForResponse)) return undefined
  return decodeResponse(waitForResponse, response).microseconds / 1000
}
