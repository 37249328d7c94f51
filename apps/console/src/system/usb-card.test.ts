import { describe, expect, it } from 'vitest'
import { usbPorts } from './usb-card.tsx'

describe('usbPorts', () => {
  const none = 'not available' as const
  const hub: Parameters<typeof usbPorts>[0] = {
    ...{ hub_state: 'enabled' as const, port_slot_0: none, port_slot_1: none, port_slot_2: 'enabled' as const },
    ...{ port_slot_3: 'disabled' as const, port_slot_4: none, port_slot_5: none, port_slot_6: none, port_slot_7: none },
  }
  const device = { slot: 2, usb_port: 1, manufacturer: 'M', product: 'P', serial_code: 'S', system_path: '/sys/1' }

  it('has the hub and the slots with USB, with what is saved and found', () => {
    expect(usbPorts(hub, { port_slot_2: 'disabled', port_slot_3: 'disabled' }, [device])).toEqual([
      { slot: undefined, state: 'enabled', saved: undefined, devices: [] },
      { slot: 2, state: 'enabled', saved: 'disabled', devices: [device] },
      { slot: 3, state: 'disabled', saved: undefined, devices: [] },
    ])
  })
  it('has nothing saved while that is unknown', () => {
    expect(usbPorts(hub, 'unknown', []).map(({ saved }) => saved)).toEqual([undefined, undefined, undefined])
  })
})
