import type { Broker, Publication } from './broker.ts'
import type { CommandMode, PublishedDevice } from './status.ts'
import type { Output, WatchedDevice } from './watched-device.ts'

/** A device that is published, as outputs see it. */
export type BridgedDevice = Pick<WatchedDevice, 'id' | 'url' | 'modules' | 'metrics' | 'alertSources'>

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
