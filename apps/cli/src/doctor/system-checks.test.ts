import { fromIsoTime } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clockCheck, clockSynchronisedCheck } from './checks/check-clock.ts'
import { memoryCheck } from './checks/check-memory.ts'
import { nodeCheck } from './checks/check-node.ts'
import { openFilesCheck } from './checks/check-open-files.ts'
import { FakeInstallation } from './fake-installation.testkit.ts'

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
