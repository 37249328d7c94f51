import type { Clock, ModuleDescriptor, Timer } from '@slotwire/core'
import type { CommandCode, Frame } from '@slotwire/sdbp'
import {
  CORE_CLASS_IDENTIFIER,
  commandCodeOf,
  DEFAULT_FRAME_SIZE,
  decodeFrame,
  dummyFrame,
  dummyOperation,
  encodeFrame,
  encodeNotification,
  encodeTransactionError,
  factoryReset,
  getNotification,
  MessageType,
  MIN_FRAME_SIZE,
  MODULE_CLASS_IDENTIFIER,
  modeBootloader,
  modeRun,
  modeSuspend,
  SdbpError,
  setFrameSize,
  setSclkSpeed,
  systemReset,
  TransactionError,
  updateDescriptor,
} from '@slotwire/sdbp'
import type { BusTiming, ModuleEnd } from '../bus/module-end.ts'
import { descriptorCommands, TextReader } from './descriptor-commands.ts'
import { type Firmware, type FirmwareContext, type FirmwareDefinition, OperationTable, obey, Refusal } from './firmware.ts'

/** A running module without MODE_RUN for this time falls back to SUSPEND; twin.md "Chassis". */
export const FAIL_SAFE_MS = 1000
/** Delay of a restart by command, so that the host can fetch the answer. */
const RESTART_DELAY_MS = 10
/** What a host reads from a module without supply: the bus idles high. */
const IDLE = 0xff
/** Status of the control class for a refused request. */
const FAILED = 1

/** `off`: no supply; `bootloader`: core commands only, never RUN. */
export type ModuleMode = 'off' | 'suspend' | 'run' | 'bootloader'

/** How a module restarts by itself. */
export type ModuleRestart = 'normal' | 'bootloader'

export interface VirtualModuleOptions {
  readonly definition: FirmwareDefinition
  readonly context: Omit<FirmwareContext, 'notify'>
  readonly timing: BusTiming
  /** Called when the module restarts: its slot sees it leave and return. */
  readonly onRestart: (into: ModuleRestart) => void
}

/** A module on the bus: core commands, modes, fail-safe and framing around the firmware of one module type. */
export class VirtualModule implements ModuleEnd {
  /** Core commands, shared by all modules. */
  static readonly #core = new OperationTable<VirtualModule>([
    obey(modeRun, (_, module) => module.#heartbeat()),
    obey(modeSuspend, (_, module) => module.#suspend()),
    obey(modeBootloader, (_, module) => module.#afterAnswer(() => module.options.onRestart('bootloader'))),
    obey(systemReset, (_, module) => module.#afterAnswer(() => module.#systemReset())),
    obey(factoryReset, (_, module) => module.firmware.factoryReset?.()),
    obey(setFrameSize, ({ bytes }, module) => module.#setFrameSize(bytes)),
    obey(setSclkSpeed, ({ kilohertz }, { firmware }) => refuseUnless(kilohertz <= firmware.descriptor().maxSclkSpeedKhz)),
    obey(updateDescriptor, () => undefined),
    obey(dummyOperation, () => undefined),
    ...descriptorCommands,
  ])

  readonly firmware: Firmware
  /** Called at each pulse of the interrupt line. */
  onPulse: () => void = () => undefined
  /** Progress of the descriptor texts. */
  readonly texts = new TextReader()
  /** Bytes per transfer, as set by SET_FRAME_SIZE. */
  frameSize = DEFAULT_FRAME_SIZE

  readonly #moduleCommands: OperationTable
  #mode: ModuleMode = 'off'
  #lastRun = 0
  #failSafe: Timer | undefined
  #delayed: Timer | undefined
  #latency: Timer | undefined
  #lastResponse: Uint8Array | undefined
  #inTransaction = false
  #pending: Uint8Array | undefined
  /** Notification bytes in a response that the host has not fetched yet. */
  #unfetched: Uint8Array | undefined
  #afterResponse: (() => void) | undefined

  constructor(private readonly options: VirtualModuleOptions) {
    this.firmware = options.definition.create({ ...options.context, notify: (bytes) => this.#notify(bytes) })
    this.#moduleCommands = new OperationTable(this.firmware.handlers, this.firmware.statusOfInvalid?.bind(this.firmware))
  }

  get mode(): ModuleMode {
    return this.#mode
  }

  descriptor(): ModuleDescriptor {
    const descriptor = this.firmware.descriptor()
    return this.#mode === 'bootloader' ? { ...descriptor, bootloaderState: 'in bootloader mode' } : descriptor
  }

  /** Switches the supply on: initial state, SUSPEND (or bootloader), default frame size. */
  powerUp(into: ModuleRestart = 'normal'): void {
    this.#mode = into === 'bootloader' ? 'bootloader' : 'suspend'
    this.frameSize = DEFAULT_FRAME_SIZE
    this.#lastResponse = undefined
    this.#inTransaction = false
    this.#clearNotifications()
    this.firmware.reset()
    if (into === 'bootloader') this.firmware.powerDown()
  }

  powerDown(): void {
    this.#mode = 'off'
    for (const timer of [this.#failSafe, this.#delayed, this.#latency]) timer?.cancel()
    this.#afterResponse = undefined
    this.firmware.powerDown()
  }

  /** Makes one full-duplex transfer: takes the host's frame, returns the module's frame. */
  transfer(hostFrame: Uint8Array): Uint8Array {
    if (this.#mode === 'off') return new Uint8Array(hostFrame.length).fill(IDLE)
    const isDummy = hostFrame[0] === MessageType.acknowledgement
    if (isDummy && this.#lastResponse !== undefined) return this.#deliver(this.#lastResponse)
    if (!isDummy) {
      this.#requeueUnfetched()
      this.#inTransaction = true
      this.#lastResponse = undefined
      const { latencyMs } = this.options.timing
      if (latencyMs === 0) this.#execute(hostFrame)
      else this.#latency = this.#clock.after(latencyMs, () => this.#execute(hostFrame), true)
    }
    return encodeFrame(dummyFrame, this.frameSize)
  }

  #deliver(response: Uint8Array): Uint8Array {
    const isPending = this.#pending !== undefined
    const bytes = encodeFrame({ type: MessageType.response, notificationPending: isPending, payload: response }, this.frameSize)
    this.#inTransaction = false
    this.#unfetched = undefined
    const after = this.#afterResponse
    this.#afterResponse = undefined
    after?.()
    // Clear to send.
    this.onPulse()
    return bytes
  }

  #execute(hostFrame: Uint8Array): void {
    this.#lastResponse = this.#answer(hostFrame)
    this.onPulse()
  }

  #answer(hostFrame: Uint8Array): Uint8Array {
    let frame: Frame
    try {
      // A frame of another size has its CRC elsewhere.
      if (hostFrame.length !== this.frameSize) throw new SdbpError('crc', 'frame of another size')
      frame = decodeFrame(hostFrame)
      if (frame.type !== MessageType.operation) throw new SdbpError('type', 'not an operation')
      return this.#run(commandCodeOf(frame.payload), frame.payload)
    } catch (error) {
      if (!(error instanceof SdbpError)) return this.#crashed(error)
      if (error.fault === 'crc') return encodeTransactionError(TransactionError.frameCrc)
      if (error.fault === 'type') return encodeTransactionError(TransactionError.messageTypeInvalid)
      return encodeTransactionError(TransactionError.dataLengthInvalid)
    }
  }

  /** A bug in a firmware fails the exchange, not the process. */
  #crashed(error: unknown): Uint8Array {
    const { slot, log } = this.options.context
    log.error({ slot, err: error }, 'the virtual firmware failed')
    return encodeTransactionError(TransactionError.classInvalid)
  }

  #run(code: CommandCode, payload: Uint8Array): Uint8Array {
    if (code.classIdentifier === CORE_CLASS_IDENTIFIER) {
      if (code.class === getNotification.class && code.operation === getNotification.operation) return this.#takeNotification()
      return VirtualModule.#core.run(code, payload, this)
    }
    if (code.classIdentifier !== MODULE_CLASS_IDENTIFIER) return encodeTransactionError(TransactionError.classIdentifierInvalid)
    if (this.#mode !== 'run') return encodeTransactionError(TransactionError.wrongMode)
    return this.#moduleCommands.run(code, payload)
  }

  #takeNotification(): Uint8Array {
    this.#unfetched = this.#pending
    this.#pending = undefined
    return encodeNotification(this.#unfetched)
  }

  /** Queues a notification again if its response was not fetched. */
  #requeueUnfetched(): void {
    if (this.#unfetched !== undefined) this.#add(this.#unfetched)
    this.#unfetched = undefined
  }

  #clearNotifications(): void {
    this.#pending = undefined
    this.#unfetched = undefined
  }

  #add(bytes: Uint8Array): void {
    const before = this.#pending
    this.#pending = Uint8Array.from(bytes, (mask, index) => mask | (before?.[index] ?? 0))
  }

  #notify(bytes: Uint8Array): void {
    if (this.#mode !== 'run') return
    this.#add(bytes)
    if (!this.#inTransaction) this.onPulse()
  }

  #suspend(): void {
    if (this.#mode === 'bootloader') return
    this.#mode = 'suspend'
    this.#failSafe?.cancel()
    this.#clearNotifications()
    this.firmware.reset()
  }

  #heartbeat(): void {
    refuseUnless(this.#mode !== 'bootloader')
    this.#lastRun = this.#clock.now()
    if (this.#mode === 'run') return
    this.#mode = 'run'
    this.#watchHeartbeat(FAIL_SAFE_MS)
    this.firmware.start?.()
  }

  /** Uses one timer that checks again when it fires, not one per heartbeat. */
  #watchHeartbeat(delayMs: number): void {
    this.#failSafe = this.#clock.after(delayMs, () => {
      const left = this.#lastRun + FAIL_SAFE_MS - this.#clock.now()
      if (left > 0) this.#watchHeartbeat(left)
      else this.#suspend()
    })
  }

  #setFrameSize(bytes: number): void {
    refuseUnless(bytes >= MIN_FRAME_SIZE && bytes <= this.firmware.descriptor().maxFrameSize)
    this.#afterResponse = () => {
      this.frameSize = bytes
      this.#lastResponse = undefined
    }
  }

  /** Answers first, then acts, also if the answer is not fetched. A later command replaces the action. */
  #afterAnswer(action: () => void): void {
    this.#delayed?.cancel()
    this.#delayed = this.#clock.after(RESTART_DELAY_MS, action)
  }

  #systemReset(): void {
    if (this.firmware.systemReset !== undefined) this.firmware.systemReset()
    else this.options.onRestart('normal')
  }

  get #clock(): Clock {
    return this.options.context.clock
  }
}

function refuseUnless(condition: boolean): void {
  if (!condition) throw new Refusal(FAILED)
}
