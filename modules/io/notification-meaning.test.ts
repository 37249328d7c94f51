import { describe, expect, it } from 'vitest'
import { readNotification } from './notification-meaning.ts'

describe('a notification in the log', () => {
  it('names pins and alerts as the specification does', () => {
    expect(readNotification(Uint8Array.of(8, 0, 0, 0))).toEqual({
      level: 'info',
      fields: { pins: [{ pin: 4, alerts: ['custom_voltage_alert'] }] },
    })
  })

  it.each([
    [1, 'high_current_alert'],
    [2, 'under_voltage_alert'],
    [3, 'high_voltage_alert'],
  ])('is a warning where an alert disabled a pin (byte %i)', (index, alert) => {
    const bytes = Uint8Array.of(1, 0, 0, 0)
    bytes[index] = 0b100000
    expect(readNotification(bytes)).toEqual({
      level: 'warn',
      fields: {
        pins: [
          { pin: 1, alerts: ['custom_voltage_alert'] },
          { pin: 6, alerts: [alert] },
        ],
      },
    })
  })

  it('names all alerts of a pin, and reads a short one', () => {
    expect(readNotification(Uint8Array.of(1, 1)).fields).toEqual({
      pins: [{ pin: 1, alerts: ['high_current_alert', 'custom_voltage_alert'] }],
    })
    expect(readNotification(new Uint8Array()).fields).toEqual({ pins: [] })
  })
})
