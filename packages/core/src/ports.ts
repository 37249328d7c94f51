import type { ModuleDescriptor, Version } from './descriptor.ts'

/** The log of the project; pino fits. Fields first, then one plain sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const nothing = (): void => undefined

/** A log that drops everything. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/**
 * Why an exchange failed. `transfer-failed`: no valid response came, try again; `busy`: the bus was taken, try again;
 * `too-long`: the payload does not fit in a frame; `gone`: the module left the slot.
 */
export type LinkFailure = 'transfer-failed' | 'busy' | 'too-long' | 'gone'

/** The one error a `SlotLink` rejects with. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly failure: LinkFailure

  constructor(failure: LinkFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

/** What a link has repeated by itself since the last call of `repeat`. */
export interface Repeated {
  /** How often the module gave the expected response. */
  readonly count: number
  /** How long ago the last time was, or the begin, in milliseconds. */
  readonly sinceMs: number
  /** Undefined while it continues. `late`: `repeat` was called too late; `failed`: something else than the expected response. */
  readonly end?: 'late' | 'failed'
}

/** The connection to one module: sends and receives payloads. Framing, CRC and the interrupt line are below it. */
export interface SlotLink {
  readonly slot: number
  /** Sends one payload and resolves with the module's response payload. One at a time. Rejects with `LinkError` only. */
  exchange(payload: Uint8Array): Promise<Uint8Array>
  /**
   * `listener` is called when the last byte of the current operation frame has been sent: the module reads values for its answer after
   * that. A link that cannot report this leaves it out. Then an operation counts as sent when its exchange begins.
   */
  onOperationSent?(listener: () => void): void
  /**
   * Lets the link repeat an exchange by itself, every 90 to 110 ms. Call it again within 300 ms: otherwise it ends. One call at a time;
   * other exchanges are allowed. Rejects with `LinkError`. A link whose exchanges are cheap leaves it out.
   */
  readonly repeat?: (payload: Uint8Array, response: Uint8Array) => Promise<Repeated>
  /**
   * `listener` is called when a MODE_RUN has succeeded after more than 100 ms, and a notification of the module could not be fetched meanwhile: it may have
   * restarted without leaving; wire-protocol.md section 1.
   */
  onRestart?(listener: () => void): void
  /** `listener` gets the whole GET_NOTIFICATION response payload of each notification. */
  onNotification(listener: (payload: Uint8Array) => void): void
  /** Closes the link; the module falls back to SUSPEND. */
  close(): Promise<void>
}

/** A query for devices on a bus of the device's own computer (`usb`): their names and the attributes to read. Must be a constant. */
export interface HostDeviceQuery {
  readonly bus: string
  readonly names: RegExp
  readonly attributes: readonly string[]
}

/** A device on a bus of the device's own computer, as Linux shows it below `/sys/bus`. */
export interface HostDevice {
  readonly name: string
  readonly systemPath: string
  /** The requested attributes; an empty text for one that the device lacks. */
  readonly attributes: Readonly<Record<string, string>>
}

/** `up`: slots can be used; `restarting`: the whole device is off and will come back. */
export type BackplaneState = 'up' | 'restarting'

export type BackplaneEvent =
  | { readonly type: 'arrived'; readonly slot: number }
  | { readonly type: 'left'; readonly slot: number }
  | { readonly type: 'restarting' }
  | { readonly type: 'up' }

/** The part of a descriptor that the power budget needs: the type, and the highest milliwatt on each rail. */
export type PowerDescriptor = Pick<ModuleDescriptor, 'vendorProductId' | 'maxPower3v3' | 'maxPower5v0' | 'maxPower12v'>

/** The last known power descriptor of the module in a slot; undefined: not known. */
export type LastKnownPower = (slot: number) => PowerDescriptor | undefined

/** The last known figures of a slot whose own could not be read. Throws `error` without any. */
export function lastKnownOr(error: unknown, slot: number, lastKnown: LastKnownPower | undefined): PowerDescriptor {
  const known = error instanceof LinkError && error.failure !== 'gone' ? lastKnown?.(slot) : undefined
  if (known === undefined) throw error
  return known
}

/** All slots of a device: what is in them, changes, and whether the device itself is up. */
export interface Backplane {
  readonly kernelDriver: Version
  readonly state: BackplaneState
  /** At boot the modules are found one after the other: an empty list may only be too early. */
  readonly findsLater?: boolean
  /** Slots that hold a module, in ascending order. Empty while restarting. */
  present(): readonly number[]
  /** The latest descriptor of the module. Rejects with `LinkError('gone')` for an empty slot. */
  descriptor(slot: number): Promise<ModuleDescriptor>
  /**
   * The power descriptor of every module that is present now, by slot. Checks the slots again, within half a second, and ignores the rest
   * of the descriptors. Leaves out a module that leaves meanwhile. After any other failure `lastKnown` counts; without it rejects with
   * `LinkError`: a failure must not count as zero power.
   */
  powerDescriptors(lastKnown?: LastKnownPower): Promise<ReadonlyMap<number, PowerDescriptor>>
  /** Opens a slot for this process alone. */
  open(slot: number): Promise<SlotLink>
  /** The devices on a bus of the device's own computer. */
  hostDevices(query: HostDeviceQuery): Promise<readonly HostDevice[]>
  /** Calls `listener` on every event from now on, until the returned function is called. */
  subscribe(listener: (event: BackplaneEvent) => void): () => void
}
