import { isRecord, orElse } from '@slotwire/core'
import type { Publication } from './broker.ts'
import { statusTopic } from './topics.ts'

/** Which commands are served: none, only those with an expiry, or all. */
export const COMMAND_MODES = ['off', 'expiring', 'all'] as const
export type CommandMode = (typeof COMMAND_MODES)[number]

/** Who publishes a device, and from where. */
export interface PublishedDevice {
  /** The machine id: 32 digits 0-9 and a-f. */
  readonly id: string
  /** Address of the device. */
  readonly url: string
  /** Host name of the machine that publishes it. */
  readonly host: string
  /** New for each publisher. */
  readonly instance: string
  readonly commands: CommandMode
}

export type DeviceState = 'online' | 'offline'

export interface DeviceStatus extends PublishedDevice {
  readonly state: DeviceState
}

/** The retained status of a device. Offline, it is the will of the connection. */
export function statusMessage({ id, ...about }: PublishedDevice, state: DeviceState): Publication {
  return { topic: statusTopic(id), payload: JSON.stringify({ state, ...about }), qos: 1, retain: true }
}

const TEXT = new TextDecoder()

/** JSON of a message from others; undefined for other text. */
export function jsonOf(payload: Uint8Array): unknown {
  return orElse(undefined, () => JSON.parse(TEXT.decode(payload)) as unknown)
}

/** Reads a status that arrived; undefined for anything else. */
export function readStatus(id: string, payload: Uint8Array): DeviceStatus | undefined {
  const json = jsonOf(payload)
  if (!isRecord(json)) return undefined
  const { state, url, host, instance, commands } = json
  if ((state !== 'online' && state !== 'offline') || ![url, host, instance, commands].every((one) => typeof one === 'string'))
    return undefined
  return { id, state, url, host, instance, commands } as DeviceStatus
}
