import { describe, expect, it } from 'vitest'
import { nearest } from './visible.ts'

describe('the nearest name', () => {
  it.each([
    ['pni', 'pin'],
    ['pinn', 'pin'],
    ['Pin', 'pin'],
    ['notif', 'notification'],
    ['high-current-alert', 'high_current_alert'],
    ['hihg_curent_alert', 'high_current_alert'],
    ['voltage_alert', 'high_voltage_alert'],
  ])('corrects %s to %s', (written, name) =>
    expect(nearest(written, ['at', 'notification', 'pin', 'high_current_alert', 'high_voltage_alert'])).toBe(name),
  )

  it.each(['banana', 'a', 'x', '', 'pinpinpin'.repeat(100)])('does not exist for %s', (written) =>
    expect(nearest(written, ['pin', 'notification', 'b'])).toBeUndefined(),
  )
})
