import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { kernelModuleCheck } from './checks/check-kernel-module.ts'
import { notificationsCheck } from './checks/check-notifications.ts'
import { slotHoldersCheck } from './checks/check-slot-holders.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { containing } from './matchers.testkit.ts'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

/** What nobody can look at, root neither. */
const loop = (path: string): void => {
  rmSync(path, { recursive: true })
  symlinkSync(path, path)
}

it('a kernel module that cannot be looked at may be loaded', async () => {
  loop(join(device.sys, 'module'))
  expect(await device.look(kernelModuleCheck)).toEqual([
    {
      outcome: 'failure',
      found: `${device.sys}/module/sdbpk cannot be looked at (ELOOP)`,
      remedy: `Look as root: stat ${device.sys}/module/sdbpk.`,
    },
  ])
})

it('a notification that cannot be looked at is no reason for another driver', async () => {
  const file = join(device.plug(3), 'notification')
  loop(file)
  expect(await device.look(notificationsCheck)).toEqual([
    {
      outcome: 'failure',
      name: 'slot 3 alerts',
      found: `${file} cannot be looked at (ELOOP)`,
      remedy: `Look as root: stat ${file}.`,
    },
  ])
})

it('a notification in a folder that keeps the user out is not called readable', async () => {
  const folder = device.plug(3)
  chmodSync(folder, 0o700)
  expect(await device.look(notificationsCheck, { user: STRANGER })).toMatchObject([
    { outcome: 'failure', name: 'slot 3 alerts', found: `stranger may not enter ${folder}` },
  ])
})

it('processes whose open files cannot be seen may have a slot open', async () => {
  device.plug(3)
  device.addProcess(4711, 'cat', { fd: '/dev/full' })
  // It ended while others were looked at.
  device.write('proc/4710/comm', 'ended\n')
  expect(await device.look(slotHoldersCheck)).toMatchObject([{ outcome: 'ok', found: 'by nobody' }])
  loop(join(device.proc, '4711', 'fd'))
  expect(await device.look(slotHoldersCheck)).toMatchObject([
    { outcome: 'ok', found: containing('by no process that this user may look at') },
  ])
})
