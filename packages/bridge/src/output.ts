import type { Broker, Publication } from './broker.ts'
import type { MetricValue } from './metric.ts'
import type { DeviceRecord } from './record-queue.ts'
import type { CommandMode, PublishedDevice } from './status.ts'
import type { WatchedDevice } from './watched-device.ts'

/** A device that is published, as outputs see it. */
export type BridgedDevice = Pick<WatchedDevice, 'id' | 'url' | 'modules' | 'metrics' | 'alertSources'>

/** One way in which a device appears on a broker: plain topics, discovery, Sparkplug. It lives as long as one connection. */
export interface Output {
  /** What it reads from the broker. */
  readonly filters?: readonly string[]
  /** The list of metrics or modules changed, or is known for the first time: say what the device has, with all values. */
  onDevice(): void
  /** Values that changed, beyond the dead band and within the rate limit. Never before `onDevice`. */
  onValues(changes: readonly MetricValue[]): void
  /** A record of the journal. Resolves when the broker has it: then the device's position moves on. */
  onRecord?(record: DeviceRecord): Promise<void>
}

/** What an output gets. */
export interface OutputContext {
  readonly broker: Broker
  readonly device: BridgedDevice
  readonly published: PublishedDevice
  /** Which commands are served, at the topics of `topics.ts`. */
  readonly commands: CommandMode
  /** Carries out a command of another protocol: the same limits, order and errors as for topics. Resolves with the error's name, if it has one. */
  command(path: string, word: string): Promise<string | undefined>
}

/** What a device looks like on a broker. */
export interface PayloadFormat {
  /** Whether the broker retains the status of the device. */
  readonly hasStatus: boolean
  /** The will of the next connection; called once for each. */
  will(published: PublishedDevice): Publication
  outputs(context: OutputContext): readonly Output[]
}
