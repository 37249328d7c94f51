import { catalog } from '@slotwire/device/twin'
import { readTree } from '@slotwire/storage'
import { describe, expect, it } from 'vitest'
import { mistakesIn } from '../mistakes.testkit.ts'
import { ParseState } from '../read/parse-state.ts'
import { lampWorld, runAtLamp } from '../run/lamp-world.testkit.ts'
import { failuresOf, power, runText } from '../run/running.testkit.ts'
import { matcherType, measured } from './matcher.ts'

const failures = async (steps: string): Promise<readonly string[]> => failuresOf(await runText(`steps:\n${steps}`))

/** Matcher for a written value of a body. */
function matcherOf(written: string, type = matcherType) {
  const { root } = readTree(`a: ${written}`, 24)
  const [entry] = root.kind === 'map' ? root.entries : []
  return entry && type.read(entry.value, new ParseState(catalog), 'a')
}

/** Makes pin 2 of slot 3 drive 5 V. */
const driven = `${power(3)}
  - request: { post: io/3/output/state, body: { pin: 2, state: high } }`

describe('expect: get', () => {
  it('bypasses the cache, and matches parts of the body', async () => {
    const steps = `
  - expect: { get: io/3/input/values, body: { pins: [{ pin: 1, value: 0 }] } }
  - connect: { pin: 3/1, to: { source: 5V } }
  - expect: { get: io/3/input/values, body: { pins: [{ pin: 1, pin_type: voltage_millivolt, value: 4990..5010 }, { pin: 4 }] } }
  - expect: { get: io/3/input/values, body: { pins: { count: 6, has_no: { value: 24000.. } } } }
  - expect: { get: io/3/input/values, body: { pins: any, nothing: absent } }
  - expect: { get: io/3/input/values, status: any }
  - expect: { get: io/3/nowhere, status: 404, body: { status: error, message: not success } }`
    expect(await failures(steps)).toEqual([])
  })

  it('reports the path of the first difference', async () => {
    const steps = `
  - expect: { get: io/3/input/values, body: { pins: [{ pin: 4 }, { pin: 1 }] } }
  - expect: { get: io/3/input/values, body: { pins: [] } }
  - expect: { get: io/3/input/values, body: { pins: absent } }
  - expect: { get: io/3/descriptor, body: { fw_version: { version: { major: ">= 7" } } } }
  - expect: { get: io/3/descriptor, body: { slot_number: "3" } }
  - expect: { get: io/4/descriptor }`
    expect(await failures(steps)).toEqual([
      expect.stringMatching(
        /^3: expected io\/3\/input\/values pins: an item \{ pin: 1 \} after the items before it; saw \[\{"pin":1/,
      ),
      expect.stringMatching(/^4: expected io\/3\/input\/values pins: an empty list; saw \[/),
      expect.stringMatching(/^5: expected io\/3\/input\/values pins: nothing; saw \[/),
      '6: expected io/3/descriptor fw_version.version.major: >= 7; saw 1',
      '7: expected io/3/descriptor slot_number: "3"; saw 3',
      expect.stringMatching(/^8: expected io\/4\/descriptor status: 200; saw 404 \{"status":"error"/),
    ])
  })
})

describe('expect: notification', () => {
  it("reads the pin's flags, which clears them, and waits for new ones", async () => {
    const steps = `${driven}
  - at: 2s
    short: 3/2
  - expect: { notification: 3/2, high_current_alert: true, under_voltage_alert: false, within: 100ms }
  - expect: { notification: 3/2, high_current_alert: false }
  - expect: { notification: 3/2, high_current_alert: true, within: 100ms }
  - expect: { notification: 3/1 }`
    const result = await runText(`steps:\n${steps}`)
    expect(failuresOf(result)).toEqual([
      expect.stringMatching(/^7: expected notification 3\/2: under_voltage_alert false within 100 ms; saw .*high_current_alert/),
      '9: expected notification 3/2: high_current_alert true within 100 ms; saw no flag',
      '10: expected notification 3/1: a flag; saw no flag',
    ])
  })
})

describe('expect: notification of another module type', () => {
  const path = '/api/lamp/1.0/2/socket/3/alerts'

  it('reads the flags of the module type in the slot', async () => {
    const steps = `
  - expect: { notification: 2/3, too_hot: true, burnt_out: false }
  - expect: { notification: 2/3, burnt_out: true }
  - expect: { notification: 2/3, high_current_alert: false }
  - expect: { notification: 4/3, too_hot: false }`
    const { failures: atLamp, paths } = await runAtLamp(steps, { [path]: { too_hot: true, burnt_out: false } })
    expect(atLamp).toEqual([
      '4: expected notification 2/3: burnt_out true; saw too_hot',
      '5: expected notification 2/3: high_current_alert; saw lamp has only too_hot, burnt_out',
      '6: expected notification 4/3: a module in slot 4; saw the slot was always empty',
    ])
    expect(paths).toEqual([path, path])
  })

  it('fails for a module type without alerts', async () => {
    expect(await failures('\n  - expect: { notification: 0/1 }')).toEqual([
      '3: expected notification 0/1: a module type with pin alerts; saw bmc',
    ])
  })

  it('accepts the flags of all module types when parsing', () => {
    expect(mistakesIn('steps:\n  - expect: { notification: 2/3, to_hot: true }', lampWorld().catalog)).toEqual([
      '2:34 to_hot is unknown: did you mean too_hot?',
    ])
  })
})

describe('expect: event', () => {
  it('matches records since the start by kind, pin, slot and fields, each once', async () => {
    const steps = `${driven}
  - at: 2s
    short: 3/2
  - expect: { event: alert, pin: 3/2, record: { alerts: [high_current_alert], twin_ms: 2000..2100 }, within: 100ms }
  - expect: { event: write, slot: 3, record: { endpoint: setOutputState, body: { state: high }, token: absent } }
  - expect: { event: power, record: { event: granted } }
  - expect: { notification: 3/2, high_current_alert: true }
  - expect: { event: alert, is: absent }
  - expect: { event: alert, pin: 3/2, within: 100ms }
  - expect: { event: module, slot: 3 }
  - expect: { event: write, slot: 3, record: { status: 400 } }
  - expect: { event: write, slot: 3, is: absent }`
    expect(await failures(steps)).toEqual([
      '12: expected event alert of pin 3/2: a record within 100 ms; saw no other record of this kind',
      '13: expected event module of slot 3: a record; saw no other record of this kind',
      expect.stringMatching(
        /^14: expected event write of slot 3: \{ status: 400 \}; saw \{"id":"1-\d+",.*"setPowerConfiguration"/,
      ),
      expect.stringMatching(/^15: expected event write of slot 3: no such record; saw \{"id":"1-\d+",.*"setPowerConfiguration"/),
    ])
  })

  it('continues with the records of a service that was started again', async () => {
    const steps = `
  - kill_service: { for: 1s }
  - expect: { event: module, slot: 3, record: { event: arrived }, within: 5s }
  - expect: { event: module, slot: 5, record: { event: arrived } }`
    expect(await failures(steps)).toEqual([])
  })

  it('finds the pin by the name that the module type gives it', async () => {
    const record = { id: '1-1', kind: 'alert', slot: 2, service: 'lamp', socket: 3, alerts: ['too_hot'] }
    const steps = `
  - expect: { event: alert, pin: 2/3 }
  - expect: { event: alert, pin: 2/4 }`
    expect((await runAtLamp(steps, {}, [record])).failures).toEqual([
      '4: expected event alert of pin 2/4: a record; saw no other record of this kind',
    ])
  })

  it('reports a kind that does not exist', () => {
    expect(mistakesIn('steps:\n  - expect: { event: alarm }')).toEqual([expect.stringContaining('did you mean alert?')])
  })
})

describe('expect: pin', () => {
  it('measures volts and current', async () => {
    const steps = `${driven}
  - connect: { pin: 3/2, to: { resistor: 100 } }
  - expect: { pin: 3/2, volts: 4.9..5.15, milliampere: 40..60 }
  - expect: { pin: 3/2, volts: 4.2V.. }
  - expect: { pin: 3/2, milliampere: 0.04A..60mA }
  - expect: { pin: 3/2, volts: "> 24V" }
  - expect: { pin: 3/2, milliampere: ..10 }`
    expect(await failures(steps)).toEqual([
      expect.stringMatching(/^9: expected pin 3\/2 volts: > 24V; saw \d\.\d+ V$/),
      expect.stringMatching(/^10: expected pin 3\/2 milliampere: \.\.10 mA; saw [\d.]+ mA$/),
    ])
  })
})

describe('a range', () => {
  it.each([matcherType, measured('V', 0.01)])('includes its ends, except with < and >, in a body and at a pin: %#', (type) => {
    const holds = (written: string): boolean => matcherOf(written, type)?.mismatch(5) === undefined
    const ranges = ['..5', '5..', '5..5', '4..6', '">= 5"', '"<=5"', '"> 4.9"', '"< 5.1"']
    expect(ranges.filter((range) => !holds(range))).toEqual([])
    expect(['"> 5"', '"< 5"', '">5"', '..4.9', '5.1..', '6..7', '">= 5.1"'].filter(holds)).toEqual([])
  })

  it('is text in a body if it is quoted, or if its ends are not numbers', () => {
    for (const text of ['"4..6"', 'a..b', '..', '">= x"', '1..b'])
      expect([text, matcherOf(text)?.mismatch(text.replaceAll('"', '').trim())]).toEqual([text, undefined])
  })
})

describe('not', () => {
  it('matches any other value that is there', () => {
    const holds = (written: string, value: unknown): boolean => matcherOf(written)?.mismatch(value) === undefined
    for (const [written, value, other] of [
      ['not 0', 0, 1],
      ['not null', null, 0],
      ['not high', 'high', 'low'],
    ] as const)
      expect([written, holds(written, value), holds(written, other), holds(written, undefined)]).toEqual([
        written,
        false,
        true,
        false,
      ])
  })

  it.each(['not 4..6', 'not 5..', 'not any', 'not absent'])('refuses %s: it excludes one value only', (written) =>
    expect(mistakesIn(`steps:\n  - expect: { get: io/3/input/values, body: { pins: ${written} } }`)).toEqual([
      `2:53 ${written} excludes one value only, as not 0: write a range, any or absent without not`,
    ]),
  )
})

describe('expect: session', () => {
  it('compares with the last expectation that held, or with the start', async () => {
    const steps = `
  - expect: [{ session: 5, is: same }, { session: driver, is: same }, { session: 7, is: gone }]
  - unplug: 5
  - expect: { session: 5, is: present }
  - expect: { session: 5, is: gone }
  - plug: { slot: 5, module: io }
  - expect: { session: 5, is: new, within: 1s }
  - expect: { session: 5, is: same }
  - expect: { session: 5, is: new, within: 50ms }`
    expect(await failures(steps)).toEqual([
      '5: expected session 5: present; saw it is gone',
      '10: expected session 5: new within 50 ms; saw it is the same',
    ])
  })
})

describe('expect: observe', () => {
  it('shows what the buzzer played', async () => {
    const steps = `
  - request: { post: bmc/0/buzzer, body: { mode: 3, duration: 100 } }
  - expect: { slot: 0, observe: buzzer, is: { internal_sounds: true, played: [{ sound: 2, end_ms: 100.. }] } }
  - expect: { slot: 0, observe: buzzer, is: { played: { count: 2 } } }
  - expect: { slot: 0, observe: bell }
  - expect: { slot: 7, observe: buzzer }`
    expect(await failures(steps)).toEqual([
      expect.stringMatching(/^5: expected buzzer of slot 0 played: a list of 2 items; saw \[\{/),
      '6: expected bell of slot 0: to exist; saw only buzzer',
      '7: expected buzzer of slot 7: to exist; saw nothing',
    ])
  })
})

describe('within', () => {
  it('checks again until the expectation holds, and lets no more time pass', async () => {
    const result = await runText(`
steps:
  - connect: { pin: 3/1, to: { button: { volts: 5V, bounces: 0 } } }
  - at: 1s
    press: { of: 3/1, for: 500ms }
  - at: 1200ms
    expect: { pin: 3/1, volts: 0, within: 2s }
`)
    expect(result.ok).toBe(true)
    expect(result.durationMs).toBeGreaterThanOrEqual(1500)
    expect(result.durationMs).toBeLessThanOrEqual(1520)
  })
})

describe('otherwise: stop', () => {
  it('runs no step after a failed expectation', async () => {
    const result = await runText(`
steps:
  - expect: { pin: 3/1, volts: 5, otherwise: stop }
  - at: 10s
    unplug: 3
`)
    expect(result).toMatchObject({
      ok: false,
      stopped: 'the step in line 3 failed, and stopped the scenario',
      steps: [{ state: 'failed' }, { state: 'skipped' }],
    })
    expect(result.durationMs).toBe(0)
  })
})
