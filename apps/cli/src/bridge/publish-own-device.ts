import type { Publisher } from '@slotwire/bridge'
import { type Clock, type Log, messageOf } from '@slotwire/core'
import type { Settings } from '@slotwire/network'
import { deviceSource } from './device-sources.ts'
import { PUBLISH_DEFAULTS } from './publish-options.ts'
import { publishing } from './publishing.ts'

export interface OwnDevice {
  readonly machineId: string
  /** Its loopback door. */
  readonly url: string
  /** The address that others use. */
  readonly shownUrl: string
  readonly takeOver: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Publishes this device as its settings say, until it is closed. With unusable settings it is served all the same: undefined then. */
export async function publishOwnDevice(settings: Settings, own: OwnDevice): Promise<Publisher | undefined> {
  const { machineId, url, shownUrl, takeOver, clock, log } = own
  const { mqttBroker: mqtt, mqttHomeAssistant: homeAssistant, mqttPayload: payload } = settings
  if (mqtt === undefined) return undefined
  try {
    const { publish } = await publishing(
      {
        ...PUBLISH_DEFAULTS,
        mqtt,
        mqttUser: settings.mqttUser,
        mqttPassword: settings.mqttPassword,
        mqttCa: settings.mqttCa,
        mqttCert: settings.mqttCert,
        mqttKey: settings.mqttKey,
        every: settings.mqttEveryMs,
        commands: settings.mqttCommands,
        payload,
        sparkplugGroup: settings.mqttGroup,
        homeAssistant,
        discovery: settings.mqttDiscovery,
        takeOver,
      },
      { clock, log, environment: process.env },
    )
    return publish({ ...deviceSource({ url }, clock), identify: async () => machineId }, shownUrl)
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'this device is not published: correct the mqtt settings, and start again')
    return undefined
  }
}
