import { chmodSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from './check.ts'
import { notificationsCheck } from './checks/check-notifications.ts'
import { originalServicesCheck } from './checks/check-original-services.ts'
import { slotFilesCheck } from './checks/check-slot-files.ts'
import { slotHoldersCheck } from './checks/check-slot-holders.ts'
import { slotsCheck } from './checks/check-slots.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { containing } from './matchers.testkit.ts'

const IO = 'modules.noreya.tech/io'
const BMC = 'modules.noreya.tech/bmc'
const FOREIGN = 'acme.example/foo'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

/** A module of another generation, whose file and alerts are for root alone, and which a program of its own has open. */
function drivenByAnother(slot: number, type: string): void {
  device.plug(slot, { vendor_product_id: type, fw_version: 'S.00002.00000.00000' })
  const file = join(device.dev, `slot${slot}`)
  unlinkSync(file)
  chmodSync(device.write(`dev/slot${slot}`, ''), 0o600)
  device.attribute(slot, 'notification', '', 0o600)
  device.addProcess(9280 + slot, 'driver', { fd: file, cgroup: '/system.slice/acme.service' })
}

describe.each([
  ['of a type that nobody here drives', FOREIGN, ['io', 'bmc', 'power']],
  ['of a type that another service drives', BMC, ['io']],
])('a slot with a module %s', (_, type, services) => {
  const look = (check: Check) => device.look(check, { services, user: STRANGER })
  beforeEach(() => {
    device.plug(3, { vendor_product_id: IO })
    drivenByAnother(6, type)
  })

  it('is left to whoever has it open', async () => {
    expect(await look(slotHoldersCheck)).toEqual([
      { outcome: 'ok', name: 'slot 6 in use', found: 'left to driver (process 9286 of acme.service)' },
    ])
  })

  it('need be open to nobody', async () => {
    expect(await look(slotFilesCheck)).toMatchObject([{ outcome: 'ok', name: 'slot 3 file' }])
    expect(await look(notificationsCheck)).toMatchObject([{ outcome: 'ok', found: 'readable for stranger' }])
  })

  it('fails nothing', async () => {
    const findings = await look(slotsCheck)
    expect(findings.map(({ outcome }) => outcome)).not.toContain('failure')
    expect(findings[1]).toMatchObject({ name: 'slot 6', found: containing(type) })
  })

  it('holds nobody up who looks for original services', async () => {
    expect(await look(originalServicesCheck)).toMatchObject([{ outcome: 'ok' }])
  })
})

describe('a slot with a module to be driven', () => {
  it('is not left to others: who has it open is to be stopped', async () => {
    drivenByAnother(6, IO)
    expect(await device.look(slotHoldersCheck, { services: ['io'] })).toMatchObject([
      { outcome: 'failure', name: 'slot 6 in use', remedy: containing('systemctl status 9286') },
    ])
  })

  it('is any whose type cannot be told at present', async () => {
    drivenByAnother(6, BMC)
    unlinkSync(join(device.sys, 'class', 'sdbp', 'slot6', 'vendor_product_id'))
    expect(await device.look(slotHoldersCheck, { services: ['io'] })).toMatchObject([{ outcome: 'failure' }])
  })

  it('is not said to be free of original services because nobody listens at their ports', async () => {
    drivenByAnother(3, IO)
    expect(await device.look(originalServicesCheck)).toEqual([
      { outcome: 'ok', found: 'nobody listens at the ports 8001, 8002, 8003' },
    ])
  })

  it('may be in bootloader mode: it is not served meanwhile, and no more', async () => {
    device.plug(3, { bootloader_state: '2' })
    expect(await device.look(slotsCheck)).toMatchObject([
      {
        outcome: 'warning',
        name: 'slot 3',
        found: containing(': in bootloader mode, and not served until its firmware runs'),
        remedy: containing('maker’s program'),
      },
    ])
  })
})
