import { describe, expect, it } from 'vitest'
import { failuresOf, runText } from './running.testkit.ts'

const POWER = `request: { post: io/3/power-management, body: { config: [
        { rail: 5_volt, current_milliampere: 100 }, { rail: 5_volt, current_milliampere: 100 },
        { rail: 5_volt, current_milliampere: 0 }, { rail: 5_volt, current_milliampere: 0 },
        { rail: 5_volt, current_milliampere: 0 }, { rail: 5_volt, current_milliampere: 0 }] } }`

describe('the example of twin.md', () => {
  it('shows high_current_alert when a driven pin is shorted', async () => {
    const result = await runText(`
seed: 7
steps:
  - at: 0s
    connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - ${POWER}
  - request: { post: io/3/output/state, body: { pin: 2, state: high } }
  - at: 2s
    short: 3/2
  - at: 3s
    expect: { notification: 3/2, high_current_alert: true }   # readable 20 ms after the event
  - at: 5s
    fault: { slot: 3, crc_errors: 30%, for: 10s }
  - at: 20s
    unplug: 5
`)
    expect(failuresOf(result)).toEqual([])
    expect(result).toMatchObject({ ok: true, durationMs: 20_000, failureCount: 0 })
    expect(result.steps.map(({ kind, state, beganMs }) => [kind, state, beganMs])).toEqual([
      ['connect', 'passed', 0],
      ['request', 'passed', 0],
      ['request', 'passed', expect.any(Number)],
      ['short', 'passed', 2000],
      ['expect', 'passed', 3000],
      ['fault', 'passed', 5000],
      ['unplug', 'passed', 20_000],
    ])
  })
})

describe('background work', () => {
  it('continues after the last step, and fails its step if it does not end', async () => {
    const soon = await runText('steps:\n  - kill_service: { for: 50s }')
    expect(soon).toMatchObject({ ok: true, failureCount: 0 })
    expect(soon.durationMs).toBeGreaterThanOrEqual(50_000)
    const late = await runText('steps:\n  - short: 3/1\n  - kill_service: { for: 5min }')
    expect(failuresOf(late)).toEqual(['3: expected this to end; saw it still runs 60 s after the end: write a longer until'])
    expect(late.steps.map(({ state }) => state)).toEqual(['passed', 'failed'])
    expect((await runText('until: 5min\nsteps:\n  - kill_service: { for: 5min }')).ok).toBe(true)
  })
})

describe('a failed step', () => {
  it('is reported with line, step, expected and actual value, and does not stop the scenario', async () => {
    const result = await runText(`
steps:
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - at: 1s
    expect: { pin: 3/1, volts: 4.9..5.2 }
  - expect: { get: io/3/input/values, body: { pins: [{ pin: 1, value: 0..100 }] } }
  - unplug: 7
  - expect: { get: io/3/descriptor, body: { slot_number: 3 } }
`)
    expect(failuresOf(result)).toEqual([
      '5: expected pin 3/1 volts: 4.9..5.2 V; saw 23.7624 V',
      expect.stringMatching(
        /^6: expected io\/3\/input\/values pins: an item \{ pin: 1, value: 0\.\.100 \}; saw \[\{"pin":1,.*23760/,
      ),
      '7: expected the step to succeed; saw slot 7 is empty: plug a module first',
    ])
    expect(result.ok).toBe(false)
    expect(result.steps.map(({ state }) => state)).toEqual(['passed', 'failed', 'failed', 'failed', 'passed'])
  })
})
