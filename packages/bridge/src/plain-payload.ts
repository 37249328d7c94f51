import type { Log } from '@slotwire/core'
import type { DiscoveryOptions } from './home-assistant/discovery.ts'
import { HomeAssistantOutput } from './home-assistant/home-assistant-output.ts'
import type { Payload } from './output.ts'
import { PlainOutput } from './plain-output.ts'
import { statusMessage } from './status.ts'

export interface PlainOptions {
  /** Undefined: nothing for Home Assistant. */
  readonly homeAssistant: DiscoveryOptions | undefined
  readonly log: Log
}

/** Devices as plain topics, and for Home Assistant. The will is the status `offline`. */
export function plainPayload({ homeAssistant, log }: PlainOptions): Payload {
  return {
    hasStatus: true,
    will: (published) => statusMessage(published, 'offline'),
    outputs: (context) => [
      new PlainOutput(context, log),
      ...(homeAssistant === undefined ? [] : [new HomeAssistantOutput(context, homeAssistant)]),
    ],
  }
}
