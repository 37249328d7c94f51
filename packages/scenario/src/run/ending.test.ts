import { ManualClock } from '@slotwire/core'
import { catalog, createTwin } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { parseScenario } from '../parse-scenario.ts'
import { asFastAsPossible } from './pacer.ts'
import { type RunOptions, runScenario } from './run-scenario.ts'

/** Runs steps and returns why the scenario ended early. Checks that no timer is left: in real time it would keep the process alive. */
async function ended(steps: string, options: Omit<RunOptions, 'pacer'> = {}): Promise<unknown> {
  const clock = new ManualClock()
  const pacer = asFastAsPossible(clock)
  const twin = await createTwin({ clock })
  try {
    await pacer.settle(twin.start(), 10_000)
    const { stopped } = await runScenario(parseScenario(`steps:\n${steps}`, { catalog }), twin, { pacer, ...options })
    return stopped
  } finally {
    await twin.close()
    expect(clock.pending).toBe(0)
  }
}

const FAILS = '  - expect: { pin: 3/1, volts: 5, otherwise: stop }\n'

describe('the end of a scenario', () => {
  it.each([
    ['a service that is away', '  - kill_service: { for: 25s }\n'],
    ['a fault', '  - fault: { slot: 3, hang, for: 25s }\n'],
    ['a defect', '  - break: { slot: 1, defect: fan_blocked, for: 25s }\n'],
    ['a button', '  - connect: { pin: 3/1, to: { button: { } } }\n  - press: { of: 3/1, for: 25s }\n'],
    ['a request', '  - fault: { slot: 3, hang }\n  - request: { get: io/3/input/values, wait: false }\n'],
    ['a restart', '  - restart:\n'],
  ])('cancels the timer of %s', async (_what, steps) => {
    const stopped = await ended(`${steps}${FAILS}`)
    expect(stopped).toMatch(/^the step in line \d failed, and stopped the scenario$/)
  })

  it('leaves no timer after it was stopped, or gave up waiting', async () => {
    const stop = new AbortController()
    const onProgress = ({ step }: { readonly step: number }): void => {
      if (step === 1) stop.abort()
    }
    const away = (time: string): string => `  - kill_service: { for: ${time} }\n`
    const stopped = await ended(`${away('25s')}  - short: 3/1\n  - at: 10s\n    short: 3/2\n`, {
      signal: stop.signal,
      onProgress,
    })
    expect(stopped).toBe('it was stopped')
    expect(await ended(away('1h'))).toBeUndefined()
  })
})
