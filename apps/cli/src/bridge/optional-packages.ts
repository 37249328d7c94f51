// What is used of packages that are not installed with Slotwire: a clone builds without them, so their own types are not there.
import type { SparkplugCodec } from '@slotwire/bridge'

/** User and properties of a message, MQTT 5. */
export interface MqttProperties {
  readonly messageExpiryInterval?: number
  readonly responseTopic?: string
  readonly correlationData?: Buffer
  readonly userProperties?: Readonly<Record<string, string | readonly string[]>>
}

type Done = (error?: Error | null) => void

/** A connection of the package `mqtt`. */
export interface MqttClient {
  on(event: 'connect' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'disconnect', listener: (packet: { readonly reasonCode?: number }) => void): unknown
  on(
    event: 'message',
    listener: (
      topic: string,
      payload: Buffer,
      packet: { readonly retain: boolean; readonly properties?: MqttProperties },
    ) => void,
  ): unknown
  publish(topic: string, data: string | Buffer, options: object, done: Done): unknown
  subscribe(filters: string[], options: object, done: Done): unknown
  unsubscribe(filters: string[], done: Done): unknown
  end(force: boolean, options?: object, done?: () => void): unknown
}

/** The package `mqtt`. */
export interface MqttPackage {
  connect(url: string, options: object): MqttClient
}

/** The package `sparkplug-payload`. */
export interface SparkplugPackage {
  get(namespace: string): {
    encodePayload: SparkplugCodec['encode']
    decodePayload: SparkplugCodec['decode']
  } | null
}

/** Loads a package. Rejects if it is not installed. */
export async function optionalPackage(name: 'mqtt' | 'sparkplug-payload'): Promise<unknown> {
  return import(name)
}
