import { Action, SendChoice } from '../controls/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Table } from '../parts/table.tsx'
import type { ModuleView, ReplyTo } from '../store/device-types.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

type Hub = ReplyTo<'bmc', 'getUsbHub'>
type Device = ReplyTo<'bmc', 'getUsbDevices'>['devices'][number]

/** The hub, or the port of a slot. */
interface UsbPort {
  /** Undefined: the hub. */
  readonly slot: number | undefined
  readonly state: Hub[keyof Hub]
  /** Saved, but not applied yet. */
  readonly saved: 'enabled' | 'disabled' | undefined
  readonly devices: readonly Device[]
}

/** The USB hub: its ports by slot, what is saved for them, and the devices on them. */
export function UsbCard({ module: { slot, state } }: { readonly module: ModuleView }) {
  const texts = useTexts()
  const { system } = texts
  const store = useStore()
  const hub = useReading('bmc', slot, 'getUsbHub', 2000).value
  const { devices = [] } = useReading('bmc', slot, 'getUsbDevices', 5000).value.value ?? {}
  const ports = hub.value === undefined ? [] : usbPorts(hub.value, state['usb_hub_saved'], devices)
  const pending = ports.filter((port) => port.saved !== undefined).length
  const write = (port: UsbPort, isOn: boolean) =>
    port.slot === undefined
      ? moduleWrite(store, 'bmc', slot, 'setUsbHub', { state: isOn })
      : moduleWrite(store, 'bmc', slot, 'setUsbSlot', { number: port.slot, state: isOn })
  const nameOf = (port: UsbPort): string => (port.slot === undefined ? system.hub.usbHub : texts.slot(port.slot))
  return (
    <Card title={system.hub.usb}>
      <Table
        caption={system.hub.usb}
        rows={ports}
        keyOf={(port) => port.slot ?? 'hub'}
        columns={[
          {
            title: system.hub.usbPort,
            cell: (port) => (
              <>
                {nameOf(port)}
                <UsbDevices port={port} />
              </>
            ),
          },
          {
            title: system.hub.usbApplied,
            cell: (port) => (
              <span class="value" data-stale={hub.isStale}>
                <Badge tone={port.state === 'enabled' ? 'good' : 'quiet'}>{texts.word(String(port.state === 'enabled'))}</Badge>
              </span>
            ),
          },
          {
            title: system.hub.usbSaved,
            cell: (port) => (
              <SendChoice
                label={nameOf(port)}
                choices={[true, false]}
                value={(port.saved ?? port.state) === 'enabled'}
                writeOf={(isOn) => write(port, isOn)}
              />
            ),
          },
        ]}
      />
      {pending === 0 ? <p class="muted">{system.usbHint}</p> : <p class="notice">{system.usbPending(pending)}</p>}
      <Action
        write={moduleWrite(store, 'bmc', slot, 'resetUsbHub', { reset: 'yes' })}
        label={system.hubReset.usbReset}
        question={{
          title: system.hubReset.usbResetAsk,
          text: system.usbResetWill(devices.length),
          confirm: system.hubReset.usbReset,
        }}
      />
    </Card>
  )
}

function UsbDevices({ port: { devices } }: { readonly port: UsbPort }) {
  return (
    <ul>
      {devices.map(({ system_path: path, manufacturer, product, serial_code: serial }) => (
        <li key={path} title={path}>
          <small class="muted">{[manufacturer, product, serial].join(' ')}</small>
        </li>
      ))}
    </ul>
  )
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
