import type { CommandMode, DiscoveryStyle } from '@slotwire/bridge'
import type { BrokerOptions } from './mqtt-options.ts'

/** What devices look like on a broker: plain topics, or Sparkplug B. */
export const PAYLOADS = ['plain', 'sparkplug'] as const

/** How devices are published. */
export interface PublishOptions extends BrokerOptions {
  /** How often a device looks at its pins, in milliseconds. */
  readonly every: number
  readonly deadBand: number
  /** Shortest time between two messages of a value, in milliseconds. */
  readonly pause: number
  readonly commands: CommandMode
  readonly payload: (typeof PAYLOADS)[number]
  readonly sparkplugGroup: string
  readonly homeAssistant?: DiscoveryStyle | undefined
  /** Prefix of Home Assistant's discovery. */
  readonly discovery: string
  readonly takeOver: boolean
}

/** The defaults of `PublishOptions`. */
export const PUBLISH_DEFAULTS = {
  every: 1000,
  deadBand: 0,
  pause: 0,
  commands: 'off',
  payload: 'plain',
  sparkplugGroup: 'slotwire',
  discovery: 'homeassistant',
} as const
