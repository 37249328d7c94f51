import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../check.ts'
import { FakeInstallation } from '../fake-installation.testkit.ts'
import { runSystemd, shown } from '../fake-systemd.testkit.ts'
import { containing, matching } from '../matchers.testkit.ts'
import { unitsCheck } from './check-units.ts'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => {
  vi.unstubAllEnvs()
  device.remove()
})

type Properties = Readonly<Record<string, string>>
const ALL_IN_ONE = { Conflicts: 'slotwire-power.service slotwire-io.service slotwire-bmc.service shutdown.target' }
const ONE_TYPE = { Conflicts: 'slotwire.service shutdown.target' }

const unit = (id: string, active: string, file: string, more: Properties = {}) => {
  const usual = { SubState: 'running', Result: 'success', NRestarts: '0', WantedBy: '', RequiredBy: '' }
  const conflicts = id === 'slotwire.service' ? ALL_IN_ONE : ONE_TYPE
  return shown({ UnitFileState: file, Id: id, ActiveState: active, ...usual, ...conflicts, ...more })
}

/** What is said of units that are installed. */
const diagnosed = (...units: readonly string[]): Promise<readonly Finding[]> => {
  runSystemd(device, { 'list-unit-files': 'slotwire.service disabled enabled\n', show: units.join('\n') })
  return device.look(unitsCheck)
}

describe('the units', () => {
  it('need no systemd', async () => {
    expect(await device.look(unitsCheck)).toMatchObject([{ outcome: 'ok', found: 'systemd does not run here' }])
  })

  it('are told by a systemd that answers', async () => {
    runSystemd(device, {})
    device.write('bin/systemctl', '#!/bin/sh\nexit 1\n', 0o755)
    expect(await device.look(unitsCheck)).toMatchObject([{ outcome: 'warning', found: 'systemd does not answer' }])
  })

  it('are judged one by one; those that neither run nor are to are left out', async () => {
    const found = await diagnosed(
      unit('slotwire.service', 'active', 'enabled'),
      unit('slotwire-io.service', 'failed', 'disabled'),
      unit('slotwire-power-manager.service', 'active', 'disabled', { Conflicts: 'shutdown.target' }),
      unit('slotwire-bmc.service', 'inactive', 'disabled'),
      unit('slotwire-power.service', 'inactive', '', { LoadState: 'not-found' }),
    )
    expect(found).toMatchObject([
      { outcome: 'ok', name: 'slotwire.service', found: 'active, enabled' },
      { outcome: 'failure', name: 'slotwire-io.service', remedy: containing('journalctl -u slotwire-io.service') },
      {
        outcome: 'warning',
        name: 'slotwire-power-manager.service',
        remedy: 'Have it start: systemctl enable slotwire-power-manager.service.',
      },
    ])
  })

  it('that end again and again are failures, though systemd calls them activating', async () => {
    const waiting = { SubState: 'auto-restart', Result: 'exit-code', NRestarts: '12' }
    expect(await diagnosed(unit('slotwire.service', 'activating', 'enabled', waiting))).toEqual([
      {
        outcome: 'failure',
        name: 'slotwire.service',
        found: 'ended (exit-code), waits for its next start; started again 12 times so far',
        remedy: 'See why: journalctl -u slotwire.service -n 50.',
      },
    ])
  })

  it.each(['active', 'activating'])('that are %s once more are no more than a warning', async (active) => {
    expect(await diagnosed(unit('slotwire.service', active, 'enabled', { NRestarts: '1' }))).toMatchObject([
      {
        outcome: 'warning',
        found: `${active}; it ended by itself and was started again once`,
        remedy: containing('journalctl -u slotwire.service'),
      },
    ])
  })

  it('that are started for others need not be enabled', async () => {
    const wanted = { WantedBy: 'slotwire-io.service slotwire-bmc.service' }
    expect(await diagnosed(unit('slotwire-power-manager.service', 'active', 'disabled', wanted))).toMatchObject([
      { outcome: 'ok', found: 'active, started for slotwire-io.service slotwire-bmc.service' },
    ])
  })

  it('may not be installed', async () => {
    expect(await diagnosed()).toMatchObject([{ outcome: 'ok', found: 'none is installed' }])
  })

  it('may wait to be started', async () => {
    expect(await diagnosed(unit('slotwire.service', 'inactive', 'disabled'))).toEqual([
      { outcome: 'ok', found: 'none runs, and none is enabled' },
    ])
  })
})

describe('units that end each other', () => {
  it('are not to be enabled both, whichever of them runs', async () => {
    const found = await diagnosed(
      unit('slotwire-bmc.service', 'inactive', 'disabled'),
      unit('slotwire-io.service', 'active', 'enabled'),
      unit('slotwire.service', 'inactive', 'enabled'),
    )
    expect(found[0]).toEqual({
      outcome: 'failure',
      found: 'slotwire-io.service and slotwire.service are both enabled, and each ends the other: one alone runs after a start',
      remedy: 'Keep one of them: systemctl disable slotwire-io.service, or systemctl disable slotwire.service.',
    })
    expect(found.slice(1)).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok', found: 'inactive, enabled' }])
  })

  it('may say so on either side', async () => {
    const silent = { Conflicts: 'shutdown.target' }
    for (const [one, other] of [
      [{}, silent],
      [silent, {}],
    ] as const) {
      const found = await diagnosed(
        unit('slotwire-io.service', 'active', 'enabled', one),
        unit('slotwire.service', 'inactive', 'enabled-runtime', other),
      )
      expect(found.filter(({ outcome }) => outcome === 'failure')).toHaveLength(1)
    }
  })

  it('do not include the services of single types, which run beside each other', async () => {
    const found = await diagnosed(
      unit('slotwire-bmc.service', 'active', 'enabled'),
      unit('slotwire-io.service', 'active', 'enabled'),
    )
    expect(found.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
  })

  it('are not advised to be enabled beside each other', async () => {
    const found = await diagnosed(
      unit('slotwire-io.service', 'active', 'disabled'),
      unit('slotwire.service', 'inactive', 'enabled'),
    )
    expect(found[0]).toEqual({
      outcome: 'warning',
      name: 'slotwire-io.service',
      found: 'active, but the next start brings slotwire.service in its place',
      remedy: matching(
        /^Keep it: systemctl disable slotwire\.service && systemctl enable slotwire-io\.service; or go back now: systemctl start slotwire\.service\.$/,
      ),
    })
  })
})
