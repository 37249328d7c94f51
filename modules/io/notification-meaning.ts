import type { NotificationMeaning } from '@slotwire/driver'
import { PIN_COUNT } from './limits.ts'
import { alertsOf } from './notification-reply.ts'

/** What a notification means, for the log: the alerts of each pin. One that disabled a pin is a warning; spec "Events". */
export function readNotification(bytes: Uint8Array): NotificationMeaning {
  const pins = Array.from({ length: PIN_COUNT }, (_, index) => ({
    pin: index + 1,
    alerts: namesOf(bytes.map((mask) => mask & (1 << index))),
  })).filter(({ alerts }) => alerts.length > 0)
  const disabledSome = pins.some(({ alerts }) => alerts.some((alert) => alert !== 'custom_voltage_alert'))
  return { level: disabledSome ? 'warn' : 'info', fields: { pins } }
}

function namesOf(bytes: Uint8Array): string[] {
  return Object.entries(alertsOf(bytes)).flatMap(([alert, raised]) => (raised ? [alert] : []))
}
