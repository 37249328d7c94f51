import { describe, expect, it } from 'vitest'
import { CHART_COLUMNS, drawChart } from './chart.ts'

const flat = (volts: number, columns: number) => Array.from({ length: columns }, () => ({ lowVolts: volts, highVolts: volts }))

describe('drawChart', () => {
  it('shows voltages over time, including a pulse far shorter than a column', () => {
    const pulse = { lowVolts: 0, highVolts: 5 }
    const columns = [...flat(5, 20), pulse, ...flat(0, 30), pulse, ...flat(0, 12)]
    expect(columns).toHaveLength(CHART_COLUMNS)
    expect(drawChart({ pin: '3/2', fromMs: 1980, toMs: 2100, columns })).toBe(
      [
        'pin 3/2, in volts',
        '   5.00 ┤────────────────────│                              │',
        '        │                    │                              │',
        '        │                    │                              │',
        '        │                    │                              │',
        '   2.50 ┤                    │                              │',
        '        │                    │                              │',
        '        │                    │                              │',
        '        │                    │                              │',
        '   0.00 ┤                    │──────────────────────────────│────────────',
        '        └────────────────────────────────────────────────────────────────',
        '         1.98 s                                                     2.1 s',
      ].join('\n'),
    )
  })

  it('shows a constant voltage in the middle', () => {
    const lines = drawChart({ pin: '3/1', fromMs: 0, toMs: 0.05, columns: flat(24, CHART_COLUMNS) }).split('\n')
    expect(lines[1]).toBe('  25.00 ┤')
    expect(lines[5]).toBe(`  24.00 ┤${'─'.repeat(CHART_COLUMNS)}`)
    expect(lines.at(-1)).toMatch(/^ {9}0 s +0\.00005 s$/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76)
  })

  it('has room for every voltage on the bench', () => {
    const lines = drawChart({ pin: '3/1', fromMs: 0, toMs: 1, columns: [...flat(-1000, 32), ...flat(1000, 32)] }).split('\n')
    expect(lines[1]).toMatch(/^ 1000\.0 ┤ {32}─{32}$/)
    expect(lines[9]).toMatch(/^-1000\.0 ┤─{32}$/)
  })
})
