import { SERVICE_NAMES } from '@slotwire/device/names'
import { describe, expect, it } from 'vitest'
import type { Units } from './check.ts'
import { FakeMachine, text } from './doctor.testkit.ts'
import { checkUnits, serviceOf } from './units.ts'

type Properties = Readonly<Record<string, string>>
const ALL = 'slotwire.service'
const MANAGER = 'slotwire-power-manager.service'

function unit(Id: string, ActiveState: string, UnitFileState: string, more: Properties = {}) {
  const StateDirectory = Id === ALL ? 'slotwire' : ''
  const usual = { SubState: 'running', Result: 'success', NRestarts: '0' }
  return { Id, ActiveState, UnitFileState, StateDirectory, ...usual, ...more }
}

describe('checkUnits', () => {
  const AGAIN = { SubState: 'auto-restart', Result: 'exit-code', NRestarts: '12' }

  it.each<readonly [Units, string, string]>([
    ['absent', 'ok', 'systemd does not run here'],
    ['silent', 'warning', 'systemd does not answer'],
    [[], 'ok', 'none is installed'],
    [[unit(ALL, 'inactive', 'disabled')], 'ok', 'none runs, and none is enabled'],
    [[unit(ALL, 'active', 'enabled')], 'ok', 'active, enabled'],
    [[unit(ALL, 'failed', 'enabled', { Result: 'exit-code' })], 'failure', 'failed (exit-code)'],
    [
      [unit(ALL, 'activating', 'enabled', AGAIN)],
      'failure',
      'ended (exit-code), waits for its next start, restarted 12 times so far',
    ],
    [[unit(ALL, 'active', 'enabled', { NRestarts: '1' })], 'warning', 'active; it ended unexpectedly and was restarted once'],
    [[unit(MANAGER, 'active', 'disabled', { WantedBy: ALL })], 'ok', `active, started for ${ALL}`],
    [[unit(MANAGER, 'active', 'disabled')], 'warning', 'active, but not enabled'],
  ])('reports for %j: %s', async (units, outcome, found) => {
    const [finding] = await new FakeMachine().look(checkUnits, { units })
    expect(finding).toMatchObject({ outcome, found, ...(outcome === 'ok' ? {} : { remedy: text(/\.$/) }) })
  })
})

describe('serviceOf', () => {
  const off = unit(ALL, 'inactive', 'disabled')
  const running = unit(ALL, 'active', 'disabled', { StatusText: '2 modules at http://127.0.0.1:9002' })

  it.each<readonly [string, Units, object | undefined]>([
    ['no service without units', 'absent', undefined],
    ['the state folder of the unit', [off], { state: '/var/lib/slotwire', services: SERVICE_NAMES, port: undefined }],
    ['the port that the running unit reports', [running], { state: '/var/lib/slotwire', port: 9002 }],
    ['no service of other units', [unit(MANAGER, 'active', 'enabled')], undefined],
  ])('finds %s', (_, units, service) => {
    if (service === undefined) expect(serviceOf(units)).toBeUndefined()
    else expect(serviceOf(units)).toMatchObject(service)
  })
})
