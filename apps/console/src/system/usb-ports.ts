import type { ReplyTo } from '../store/device-types.ts'

type Hub = ReplyTo<'bmc', 'getUsbHub'>
type Device = ReplyTo<'bmc', 'getUsbDevices'>['devices'][number]

/** The hub, or the port of a slot. */
export interface UsbPort {
  /** Undefined: the hub. */
  readonly slot: number | undefined
  readonly state: Hub[keyof Hub]
  /** Saved, but not applied yet. */
  readonly saved: 'enabled' | 'disabled' | undefined
  readonly devices: readonly Device[]
}

/** The hub and the slots with USB, in their order. `saved`: `usb_hub_saved` of the state, by field of the hub. */
export function usbPorts(hub: Hub, saved: unknown, devices: readonly Device[]): readonly UsbPort[] {
  const savedByName = typeof saved === 'object' && saved !== null ? (saved as Readonly<Record<string, UsbPort['saved']>>) : {}
  return (Object.keys(hub) as (keyof Hub)[])
    .filter((name) => hub[name] !== 'not available')
    .map((name) => {
      const slot = name === 'hub_state' ? undefined : Number(name.replace('port_slot_', ''))
      const state = hub[name]
      const other = savedByName[name] === state ? undefined : savedByName[name]
      return { slot, state, saved: other, devices: devices.filter((device) => device.slot === slot) }
    })
}
