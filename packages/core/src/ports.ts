import type { ModuleDescriptor, Version } from './descriptor.ts'

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

/** The way to one module: payloads out, payloads in. Framing, CRC and the interrupt line are below it. */
export interface SlotLink {
  readonly slot: number
  /** Sends one payload and resolves with the module's response payload. One at a time. Rejects with `LinkError` only. */
  exchange(payload: Uint8Array): Promise<Uint8Array>
  /**
   * `listener` is called when the operation frame of the present exchange has gone out to its last byte: what the module reads for its
   * answer it reads after that. A link that cannot tell leaves this out; then an operation counts as sent when its exchange begins.
   */
  onOperationSent?(listener: () => void): void
  /** `listener` gets the whole GET_NOTIFICATION response payload, each time the module had something to tell. */
  onNotification(listener: (payload: Uint8Array) => void): void
  /** Gives the module up; it falls back to SUSPEND. */
  close(): Promise<void>
}

/** What to look for on a bus of the device's own computer (`usb`): devices of these names, and their attributes. A constant. */
export interface HostDeviceQuery {
  readonly bus: string
  readonly names: RegExp
  readonly attributes: readonly string[]
}

/** A device on a bus of the device's own computer, as Linux shows it below `/sys/bus`. */
export interface HostDevice {
  readonly name: string
  readonly systemPath: string
  /** Those that were asked for; empty where the device has none. */
  readonly attributes: Readonly<Record<string, string>>
}

/** `up`: slots can be used; `restarting`: the device as a whole is away and will come back. */
export type BackplaneState = 'up' | 'restarting'

export type BackplaneEvent =
  | { readonly type: 'arrived'; readonly slot: number }
  | { readonly type: 'left'; readonly slot: number }
  | { readonly type: 'restarting' }
  | { readonly type: 'up' }

/** What the power budget has to know of a module: its type, and the milliwatt that it may need of each rail. */
export type PowerDescriptor = Pick<ModuleDescriptor, 'vendorProductId' | 'maxPower3v3' | 'maxPower5v0' | 'maxPower12v'>

/** All slots of a device: what is in them, who comes and goes, and whether the device itself is there. */
export interface Backplane {
  readonly kernelDriver: Version
  readonly state: BackplaneState
  /** Slots that hold a module, ascending. Empty while restarting. */
  present(): readonly number[]
  /** The descriptor last read from the module. Rejects with `LinkError('gone')` for an empty slot. */
  descriptor(slot: number): Promise<ModuleDescriptor>
  /**
   * What every module that is there now says of its power, by slot: looked at anew, within half a second, and read without the rest of its
   * descriptor. Who leaves meanwhile is left out; whatever else cannot be read rejects with `LinkError`, so that it never counts as no power.
   */
  powerDescriptors(): Promise<ReadonlyMap<number, PowerDescriptor>>
  /** Takes a slot for this process alone. */
  open(slot: number): Promise<SlotLink>
  /** What is on a bus of the device's own computer now. */
  hostDevices(query: HostDeviceQuery): Promise<readonly HostDevice[]>
  /** Calls `listener` on every event from now on, until the returned function is called. */
  subscribe(listener: (event: BackplaneEvent) => void): () => void
}
