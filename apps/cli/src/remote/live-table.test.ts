import { describe, expect, it } from 'vitest'
import { LiveTable, sparkline } from './live-table.ts'

it.each([
  [[], ''],
  [[5], '▁'],
  [[0, 0], '▁▁'],
  [[0, 7], '▁█'],
  [[1, 2, 3], '▁▅█'],
])('draws %j as %s', (values, expected) => expect(sparkline(values)).toBe(expected))

describe('LiveTable', () => {
  const drawn = (columns = 80) => {
    const written: string[] = []
    const table = new LiveTable((text) => written.push(text), { columns })
    return { table, last: () => written.at(-1) ?? '' }
  }

  it('draws all pins again at each change, in place', () => {
    const { table, last } = drawn()
    table.set('3/1', 5000, 'mV')
    expect(last()).toBe('\x1b[?7l\x1b[2K3/1       5000 mV  ▁ \n\x1b[?7h')
    table.set('3/2', 1, '')
    expect(last()).toMatch(/^\x1b\[\?7l\x1b\[1A.*3\/1.*\n.*3\/2 +1 .*\n\x1b\[\?7h$/)
    table.set('3/1', 0, 'mV')
    expect(last()).toMatch(/^\x1b\[\?7l\x1b\[2A.*3\/1 +0 mV {2}█▁ \n/)
  })

  it('keeps as many values as fit', () => {
    const { table, last } = drawn(35)
    for (let value = 0; value < 9; value++) table.set('3/1', value, 'mV')
    expect(last()).toContain(`  ${sparkline([4, 5, 6, 7, 8])} \n`)
  })

  it('shows an alert for some redraws', () => {
    const { table, last } = drawn()
    table.flash('3/1', ['custom_voltage_alert', '\u009b'])
    expect(last()).toContain('custom_voltage_alert \\u{9b}')
    for (let value = 0; value < 8; value++) table.set('3/1', value, 'mV')
    expect(last()).not.toContain('custom_voltage_alert')
  })
})
