import type { ReplyOf } from '@slotwire/contract'
import type { SlotApi } from '@slotwire/driver'
import { ByteReader } from '@slotwire/sdbp'
import { Delivery } from '@slotwire/service'
import type { ioContract } from './contract.ts'
import type { IoNotification } from './wire.ts'
import { ioNotification } from './wire.ts'

export type NotificationReply = ReplyOf<(typeof ioContract)['endpoints']['getNotification']>

/** Bytes of the module's notification: one mask per kind of alert. */
const NOTIFICATION_SIZE = 4

const nothing: NotificationReply = {
  under_voltage_alert: false,
  high_voltage_alert: false,
  high_current_alert: false,
  custom_voltage_alert: false,
}

/**
 * Hands out what is pending for a pin, without the bus; behaviour.md "io". Undelivered, it is pending again; shown to somebody who may
 * change nothing, it stays.
 */
export function takeNotification(
  { notifications }: SlotApi,
  pin: number,
  { readOnly }: { readonly readOnly: boolean },
): NotificationReply | Delivery<NotificationReply> {
  if (!notifications.has(pin)) return nothing
  if (readOnly) return alertsOf(notifications.peek(pin))
  const { epoch } = notifications
  const taken = notifications.take(pin)
  return new Delivery(alertsOf(taken), () => {
    // A reset or a loss in between has dropped them for good.
    if (notifications.epoch === epoch) notifications.merge(taken)
  })
}

/** A shorter notification says nothing about the kinds that it leaves out. */
function masksOf(taken: Uint8Array): IoNotification {
  const bytes = new Uint8Array(NOTIFICATION_SIZE)
  bytes.set(taken.subarray(0, NOTIFICATION_SIZE))
  return ioNotification.read(new ByteReader(bytes), 'notification')
}

/** What notification bytes say, whichever pins their bits stand for. */
export function alertsOf(bytes: Uint8Array): NotificationReply {
  const masks = masksOf(bytes)
  return {
    under_voltage_alert: masks.underVoltageAlert !== 0,
    high_voltage_alert: masks.highVoltageAlert !== 0,
    high_current_alert: masks.highCurrentAlert !== 0,
    custom_voltage_alert: masks.customVoltageAlert !== 0,
  }
}
