import type { AlertSource, Metric, MetricValue, Value } from './metric.ts'

/** A record of the device's journal, as docs/guide/events.md has it: `{ id, at, kind, slot?, … }`; or a gap, with what it follows. */
export type DeviceRecord = Readonly<Record<string, unknown>> & { readonly kind: string }

/** A module of a device, from its descriptor. */
export interface ModuleAbout {
  readonly slot: number
  readonly service: string
  readonly type: string
  readonly product: string
  readonly serial: string
  readonly firmware: string
}

/** A device that this bridge has, as outputs see it. */
export interface BridgedDevice {
  /** The machine id: 32 digits 0-9 and a-f. */
  readonly id: string
  readonly url: string
  readonly modules: readonly ModuleAbout[]
  /** Whether the device answers; its values are old otherwise. */
  readonly isAvailable: boolean
  /** By path. Only modules that are there; a reading appears with its first value. */
  readonly metrics: ReadonlyMap<string, Metric>
  readonly alertSources: readonly AlertSource[]
  valueOf(path: string): Value
}

/**
 * One way in which devices appear on a broker: plain topics, discovery, Sparkplug. The bridge calls it for the devices that it has, while the
 * broker is connected. Its messages go through the broker that it was made with; a lost connection ends with `onLost`, and all begins again.
 */
export interface Output {
  /** The broker is connected: say that the bridge is there. Devices follow, each with `onDevice`. */
  onConnected?(): Promise<void>
  onLost?(): void
  /** The device is ours now, or its list of metrics, modules or availability changed: say what it has, with all values. */
  onDevice(device: BridgedDevice): void
  /** Values that changed, beyond the dead band and within the rate limit. Never before `onDevice`. `at`: milliseconds since 1970. */
  onValues(device: BridgedDevice, changes: readonly MetricValue[], at: number): void
  /** A record of the journal. Resolves when the broker has it: then the device's position moves on. */
  onRecord?(device: BridgedDevice, record: DeviceRecord): Promise<void>
  /** The device is not ours any more: another bridge has it (`moved`), or this bridge ends (`closing`). */
  onGone(device: BridgedDevice, reason: 'moved' | 'closing'): Promise<void>
  /** Before the connection is closed in order. */
  close(): Promise<void>
}

/** What an output gets from its bridge. */
export interface OutputContext {
  /** Name of the bridge. */
  readonly name: string
  /** Whether commands are served, at the topics of `topics.ts`. */
  readonly hasCommands: boolean
  /** The devices that the bridge has now. */
  devices(): Iterable<BridgedDevice>
  /** Carries out a command of another protocol: the same limits, order and errors as for topics. Resolves with the error's name, if it has one. */
  command(device: BridgedDevice, path: string, word: string): Promise<string | undefined>
}
