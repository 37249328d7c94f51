import { describe, expect, it } from 'vitest'
import { failuresOf, runText } from '../run/running.testkit.ts'

/** 4.5 V at the end, 1 MΩ of the input included, with a time constant of 0.909 s. */
const CHARGES = `
  - connect: { pin: 3/1, to: { capacitor: 10uF } }
  - connect: { pin: 3/1, to: { resistor: 100k, volts: 5V } }`

describe('wait', () => {
  it('ends when the condition holds, within a thousandth of its deadline', async () => {
    const result = await runText(`steps:${CHARGES}
  - wait: { pin: 3/1, volts: 3.., within: 10s }
  - expect: { pin: 3/1, volts: 3..3.1 }`)
    expect(failuresOf(result)).toEqual([])
    // 4.545 V × (1 − e^(−t / 0.909 s)) is 3 V after 0.981 s.
    expect(result.durationMs).toBeGreaterThan(980)
    expect(result.durationMs).toBeLessThanOrEqual(992)
  })

  it.each([
    ['ends the scenario', '', ['passed', 'passed', 'failed', 'skipped'], 'the step in line 4 failed, and stopped the scenario'],
    ['lets it continue with otherwise: continue', ', otherwise: continue', ['passed', 'passed', 'failed', 'passed'], undefined],
  ])('fails at its deadline, and %s', async (_, otherwise, states, stopped) => {
    const result = await runText(`steps:${CHARGES}
  - wait: { pin: 3/1, volts: 4.9.., within: 2s${otherwise} }
  - short: 3/2`)
    expect(failuresOf(result)).toEqual([
      expect.stringMatching(/^4: expected pin 3\/1 volts: 4\.9\.\. within 2000 ms; saw 4\.04\d+ V$/),
    ])
    expect([result.steps.map(({ state }) => state), result.stopped, result.durationMs]).toEqual([states, stopped, 2000])
    expect(result.failures[0]?.charts[0]).toMatch(/^pin 3\/1, in volts\n/)
  })

  it.each([
    ['an answer', 'unplug: 5', '{ get: io/5/descriptor, status: 404, within: 10s }'],
    ['a session', 'unplug: 5', '{ session: 5, is: gone, within: 10s }'],
    ['an event', 'unplug: 5', '{ event: module, slot: 5, within: 10s }'],
    [
      'an observation',
      'request: { post: bmc/0/buzzer, body: { mode: 2, duration: 200 } }',
      '{ slot: 0, observe: buzzer, within: 1s }',
    ],
  ])('waits for %s', async (_, action, condition) => {
    expect(failuresOf(await runText(`steps:\n  - ${action}\n  - wait: ${condition}`))).toEqual([])
  })
})

describe('repeat', () => {
  it('runs its steps several times, each with its own result and its round', async () => {
    const result = await runText(`steps:
  - at: 1s
    repeat:
      times: 3
      steps:
        - short: 3/1
        - after: 10ms
          disconnect: 3/1`)
    expect(failuresOf(result)).toEqual([])
    expect(result.steps.map(({ text, beganMs }) => `${text} at ${beganMs}`)).toEqual([
      'repeat: times: 3 steps: - short: 3/1 - after: 10ms disconnect: 3/1 at 1000',
      ...[1, 2, 3].flatMap((round) => [
        `short: 3/1 (round ${round} of 3) at ${990 + 10 * round}`,
        `disconnect: 3/1 (round ${round} of 3) at ${1000 + 10 * round}`,
      ]),
    ])
  })

  it('names the round of a failure', async () => {
    const result = await runText(`steps:
  - connect: { pin: 3/1, to: { potentiometer: 10k, high_volts: 10 }, as: knob }
  - repeat: { times: 2, steps: [{ set: { of: knob, position: 0.2 } }, { expect: { pin: 3/1, volts: 5 } }] }`)
    expect(result.failures.map(({ text }) => text)).toEqual([
      'expect: { pin: 3/1, volts: 5 } (round 1 of 2)',
      'expect: { pin: 3/1, volts: 5 } (round 2 of 2)',
    ])
  })

  it('may contain another one, expect lists and waits, up to 10000 steps in all', async () => {
    const result = await runText(`steps:
  - repeat:
      times: 11
      steps:
        - repeat: { times: 300, steps: [{ expect: [{ pin: 3/1, volts: 0 }, { pin: 3/2, volts: 0 }] }, { after: 1ms, ambient: 20C }] }
        - after: 1ms
          wait: { pin: 3/1, volts: 0, within: 1s }`)
    expect([result.ok, result.steps.length, result.durationMs]).toEqual([true, 1 + 11 * (1 + 300 * 3 + 1), 11 * 301])
    expect(result.steps.at(-2)?.text).toBe('ambient: 20C (round 300 of 300) (round 11 of 11)')
  })

  it('stops in the round of a failure that ends the scenario', async () => {
    const result = await runText(`steps:
  - repeat: { times: 100, steps: [{ after: 1s, expect: { pin: 5/3, volts: 9, otherwise: stop } }] }`)
    expect([result.failureCount, result.durationMs]).toEqual([1, 1000])
  })

  it('checks the answer of each round, also those that no expectation names', async () => {
    const result = await runText(`steps:
  - repeat: { times: 2, steps: [{ request: { get: io/7/descriptor, wait: false, as: seen } }] }
  - request: { get: io/3/descriptor, wait: false, as: fine }
  - expect: { answer: fine }`)
    expect(failuresOf(result)).toEqual(
      Array.from(
        { length: 2 },
        () => expect.stringMatching(/^2: expected io\/7\/descriptor to answer status 200; saw 404/) as string,
      ),
    )
  })
})
