import { fromIsoTime } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clockCheck } from './check-clock.ts'
import { clockSynchronisedCheck } from './check-clock-synchronised.ts'
import { memoryCheck } from './check-memory.ts'
import { nodeCheck } from './check-node.ts'
import { openFilesCheck } from './check-open-files.ts'
import { judgeUnits, unitsCheck } from './check-units.ts'
import { FakeInstallation } from './fake-installation.testkit.ts'
import { containing } from './matchers.testkit.ts'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

describe('Node.js', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0'])('%s will do', async (nodeVersion) => {
    expect(await device.look(nodeCheck, { nodeVersion })).toEqual([{ outcome: 'ok', found: nodeVersion }])
  })

  it.each(['20.18.3', '18.20.4'])('%s is too old', async (nodeVersion) => {
    const [finding] = await device.look(nodeCheck, { nodeVersion })
    expect(finding).toMatchObject({ outcome: 'failure', found: `${nodeVersion}: too old` })
    expect(finding?.remedy).toContain('20.19')
  })
})

describe('the memory', () => {
  const meminfo = (kib: number) => device.write('proc/meminfo', `MemTotal: 1 kB\nMemAvailable:   ${kib} kB\n`)

  it('is enough', async () => {
    meminfo(204_800)
    expect(await device.look(memoryCheck)).toMatchObject([{ outcome: 'ok', found: '200 MiB available' }])
  })

  it('is short', async () => {
    meminfo(204_799)
    expect(await device.look(memoryCheck)).toMatchObject([{ outcome: 'warning', found: '199 MiB available, less than 200' }])
  })

  it('is not told by every system', async () => {
    expect(await device.look(memoryCheck)).toMatchObject([{ outcome: 'ok' }])
  })
})

describe('the limit of open files', () => {
  it.each([
    ['1024', 'ok'],
    ['unlimited', 'ok'],
    ['1023', 'warning'],
  ])('of %s: %s', async (limit, outcome) => {
    device.write('proc/self/limits', `Limit   Soft Limit  Hard Limit  Units\nMax open files            ${limit}   4096   files\n`)
    const [finding] = await device.look(openFilesCheck)
    expect(finding?.outcome).toBe(outcome)
    expect(finding?.found).toContain(`up to ${limit} at a time`)
  })
})

describe('the date', () => {
  it.each([
    ['2026-11-21T12:00:00Z', 'ok', '2026-11-21 12:00 UTC'],
    ['1970-01-01T00:05:00Z', 'failure', '1970-01-01 00:05 UTC cannot be right'],
    ['2106-02-07T06:28:15Z', 'failure', '2106-02-07 06:28 UTC cannot be right'],
  ])('%s: %s', async (date, outcome, found) => {
    expect(await device.look(clockCheck, { date: fromIsoTime(date) })).toMatchObject([{ outcome, found }])
  })

  it('is kept by nobody', async () => {
    const [finding] = await device.look(clockSynchronisedCheck)
    expect(finding?.outcome).toBe('warning')
    expect(finding?.remedy).toContain('timedatectl set-ntp true')
  })

  it.each(['systemd/timesync/synchronized', 'chrony/chronyd.pid'])('is kept by whoever leaves %s', async (sign) => {
    device.write(`run/${sign}`, '')
    expect(await device.look(clockSynchronisedCheck)).toMatchObject([{ outcome: 'ok' }])
  })
})

describe('the units', () => {
  const unit = (id: string, active: string, file: string, more: Readonly<Record<string, string>> = {}) => {
    const usual = { LoadState: 'loaded', SubState: 'running', Result: 'success', NRestarts: '0', WantedBy: '', RequiredBy: '' }
    const fields = Object.entries({ UnitFileState: file, Id: id, ActiveState: active, ...usual, ...more })
    return `${fields.map((pair) => pair.join('=')).join('\n')}\n`
  }

  it('need no systemd', async () => {
    expect(await device.look(unitsCheck)).toMatchObject([{ outcome: 'ok', found: 'systemd does not run here' }])
  })

  it('are judged one by one', () => {
    const shown = [
      unit('slotwire.service', 'active', 'enabled'),
      unit('slotwire-io.service', 'failed', 'enabled'),
      unit('slotwire-power-manager.service', 'active', 'disabled'),
      unit('slotwire-bmc.service', 'inactive', '', { LoadState: 'not-found' }),
    ].join('\n')
    expect(judgeUnits(shown)).toMatchObject([
      { outcome: 'ok', name: 'slotwire.service', found: 'active, enabled' },
      { outcome: 'failure', name: 'slotwire-io.service', remedy: containing('journalctl -u slotwire-io.service') },
      {
        outcome: 'warning',
        name: 'slotwire-power-manager.service',
        remedy: 'Have it start: systemctl enable slotwire-power-manager.service.',
      },
    ])
  })

  it('that end again and again are failures, though systemd calls them activating', () => {
    const waiting = { SubState: 'auto-restart', Result: 'exit-code', NRestarts: '12' }
    expect(judgeUnits(unit('slotwire.service', 'activating', 'enabled', waiting))).toEqual([
      {
        outcome: 'failure',
        name: 'slotwire.service',
        found: 'ended (exit-code), waits for its next start; started again 12 times so far',
        remedy: 'See why: journalctl -u slotwire.service -n 50.',
      },
    ])
  })

  it.each(['active', 'activating'])('that are %s once more are no more than a warning', (active) => {
    expect(judgeUnits(unit('slotwire.service', active, 'enabled', { NRestarts: '1' }))).toMatchObject([
      {
        outcome: 'warning',
        found: `${active}; it ended by itself and was started again once`,
        remedy: containing('journalctl -u slotwire.service'),
      },
    ])
  })

  it('that are started for others need not be enabled', () => {
    const wanted = { WantedBy: 'slotwire-io.service slotwire-bmc.service' }
    expect(judgeUnits(unit('slotwire-power-manager.service', 'active', 'disabled', wanted))).toMatchObject([
      { outcome: 'ok', found: 'active, started for slotwire-io.service slotwire-bmc.service' },
    ])
  })

  it('may not be there', () => {
    expect(judgeUnits('')).toMatchObject([{ outcome: 'ok', found: 'none is loaded' }])
  })
})
