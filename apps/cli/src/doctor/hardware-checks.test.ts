import { chmodSync, closeSync, openSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockState } from '../state/state-lock.ts'
import { driverNameCheck, kernelModuleCheck } from './checks/check-kernel-module.ts'
import { notificationsCheck } from './checks/check-notifications.ts'
import { judgeSlotFile, slotFilesCheck } from './checks/check-slot-files.ts'
import { slotHoldersCheck } from './checks/check-slot-holders.ts'
import { slotsCheck } from './checks/check-slots.ts'
import { usbCheck } from './checks/check-usb.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
})
afterEach(() => device.remove())

describe('the kernel module', () => {
  it('is there, in a version that is known', async () => {
    expect(await device.look(kernelModuleCheck)).toEqual([{ outcome: 'ok', found: 'sdbpk 1.1.2' }])
  })

  it('is not loaded', async () => {
    rmSync(join(device.sys, 'module'), { recursive: true })
    const [finding] = await device.look(kernelModuleCheck)
    expect(finding).toMatchObject({ outcome: 'failure', found: 'sdbpk is not loaded' })
    expect(finding?.remedy).toContain('modprobe sdbpk')
  })

  it.each(['1.0.9\n', '2.0.0\n', 'nonsense'])('is of a version that is not: %j', async (version) => {
    device.write('sys/module/sdbpk/version', version)
    const [finding] = await device.look(kernelModuleCheck)
    expect(finding?.outcome).toBe('failure')
    expect(finding?.found).toContain('is not supported')
    expect(finding?.remedy).toContain('Install the kernel driver sdbpk 1.1.0 or a later 1.x')
  })

  it('does not tell its version', async () => {
    rmSync(join(device.sys, 'module', 'sdbpk', 'version'))
    expect(await device.look(kernelModuleCheck)).toMatchObject([{ outcome: 'failure', found: containing('could not be read') }])
  })
})

describe('the name of the device driver', () => {
  it.each(['serial_device_bus_protocol', 'sdbp_class'])('may be %s', async (name) => {
    device.write('proc/devices', `Character devices:\n240 ${name}\n`)
    expect(await device.look(driverNameCheck)).toEqual([{ outcome: 'ok', found: `char-${name}` }])
  })

  it('is missing', async () => {
    device.write('proc/devices', 'Character devices:\n  1 mem\n')
    expect(await device.look(driverNameCheck)).toMatchObject([{ outcome: 'failure' }])
  })
})

describe('a slot', () => {
  it('holds a module', async () => {
    device.plug(3)
    const found = 'modules.noreya.tech/io, IO module, serial 0000-0000-0000-0000-0000-0000-0000-0003, firmware 1.2.3 (S)'
    expect(await device.look(slotsCheck)).toEqual([{ outcome: 'ok', found, name: 'slot 3' }])
  })

  it.each([
    [{ bootloader_state: '2' }, 'warning', /: in bootloader mode, and not served until its firmware runs$/],
    [{ vendor_product_id: 'example.org/relay' }, 'warning', /^example\.org\/relay, .*: of a type that nobody here drives$/],
    [
      { fw_version: 'S.00002.00000.00000' },
      'failure',
      /firmware 2\.0\.0 \(S\): fw_version 2\.0\.0 is not supported: major version 1 is$/,
    ],
    [{ serial_code: 'rubbish' }, 'failure', /^modules\.noreya\.tech\/io, IO module, rubbish.*: serial_code reads "rubbish"/],
  ])('holds one that cannot be driven: %j', async (attributes, outcome, found) => {
    device.plug(0, attributes)
    expect(await device.look(slotsCheck)).toMatchObject([
      { outcome, name: 'slot 0', found: matching(found), remedy: matching(/\.$/) },
    ])
  })

  it.each([
    [{ protocol_version: '00002.00000.00000' }, 'failure', 'protocol_version 2.0.0 is not supported: major versions below 2 are'],
    [{ max_sclk_speed: '15999' }, 'failure', 'max_sclk_speed 15999 is out of range: at least 16000 kHz'],
    [{ max_sclk_speed: '4294967295' }, 'warning', 'max_sclk_speed 4294967295 kHz is more than a bus is known to take'],
    [{ max_power_12v: '65536' }, 'failure', 'max_power_12v 65536 is out of range: 0…65535 mW'],
    [{ max_frame_size: '65536' }, 'failure', 'max_frame_size 65536 is out of range: 64…65535 bytes'],
  ])('holds one that says of itself what none should: %j', async (attributes, outcome, trouble) => {
    device.plug(3, attributes)
    const [finding] = await device.look(slotsCheck)
    expect(finding).toMatchObject({ outcome, name: 'slot 3', remedy: containing('firmware') })
    expect(finding?.found).toMatch(/^modules\.noreya\.tech\/io, IO module, /)
    expect(finding?.found.endsWith(`: ${trouble}`)).toBe(true)
  })

  it('shows what can be read of it', async () => {
    unlinkSync(join(device.plug(3), 'hw_version'))
    expect(await device.look(slotsCheck)).toMatchObject([
      {
        outcome: 'failure',
        found: matching(/^modules\.noreya\.tech\/io, .*: hw_version cannot be read \(ENOENT\)$/),
      },
    ])
  })

  it('is waited for while its descriptor is updated, for two seconds', async () => {
    const file = join(device.plug(3), 'fw_version')
    unlinkSync(file)
    // Reading what is not mapped fails as the kernel's attribute does.
    symlinkSync('/proc/self/mem', file)
    const clock = new ManualClock()
    let isDone = false
    const looking = device.look(slotsCheck, {}, clock).finally(() => {
      isDone = true
    })
    await expect.poll(() => clock.advance(100).then(() => isDone), { interval: 1 }).toBe(true)
    expect(clock.now()).toBeGreaterThanOrEqual(1900)
    expect(await looking).toMatchObject([{ outcome: 'failure', found: containing('fw_version cannot be read (EIO)') }])
  })

  it('may hold a page of nonsense: no more is read', async () => {
    device.plug(3, { product_name: 'A'.repeat(1_000_000) })
    const [finding] = await device.look(slotsCheck)
    expect(finding?.found.length).toBeLessThan(5000)
  })

  it('is free, as all others', async () => {
    expect(await device.look(slotsCheck)).toMatchObject([{ outcome: 'warning', found: 'no module is in any slot' }])
  })

  it('is not offered by the kernel', async () => {
    rmSync(join(device.sys, 'class'), { recursive: true })
    expect(await device.look(slotsCheck)).toMatchObject([{ outcome: 'failure' }])
  })
})

describe('the file of a slot', () => {
  const stats = (mode: number, isDevice = true) => ({ uid: 0, gid: 20, mode, isCharacterDevice: () => isDevice })
  const judge = (mode: number, gids: readonly number[], uid = 999) =>
    judgeSlotFile({ name: 'slot 3 file', file: '/dev/slot3', stats: stats(mode), user: { name: 'slotwire', uid, gids } })

  it('is a device that the user may read and write', async () => {
    device.plug(3)
    expect(await device.look(slotFilesCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'ok', name: 'slot 3 file', found: containing('stranger may read and write it (mode 0666') },
    ])
  })

  it.each([
    [0o660, [999, 20], 'ok'],
    [0o660, [999], 'failure'],
    [0o640, [20], 'failure'],
    [0o620, [20], 'failure'],
    [0o606, [20], 'failure'],
    [0o606, [999], 'ok'],
  ])('of root and group 20 with mode %o, for a user of groups %j: %s', (mode, gids, outcome) => {
    expect(judge(mode, gids).outcome).toBe(outcome)
  })

  it('is root’s in any case', () => {
    expect(judge(0, [0], 0).outcome).toBe('ok')
  })

  it('is given with the command that the remedy names', () => {
    expect(judge(0o600, [20])).toMatchObject({
      found: 'slotwire may not read and write /dev/slot3 (mode 0600, owner 0, group 20)',
      remedy: containing('chown slotwire /dev/slot3 && chmod u+rw /dev/slot3'),
    })
  })

  it('is missing', async () => {
    device.plug(3)
    unlinkSync(join(device.dev, 'slot3'))
    expect(await device.look(slotFilesCheck)).toMatchObject([
      {
        outcome: 'failure',
        found: `${device.dev}/slot3 does not exist`,
        remedy: containing(`ls -l ${device.sys}/class/sdbp/slot3/dev; findmnt /dev`),
      },
    ])
  })

  it('is something else', async () => {
    device.plug(3)
    unlinkSync(join(device.dev, 'slot3'))
    device.write('dev/slot3', '')
    const [finding] = await device.look(slotFilesCheck)
    expect(finding).toMatchObject({ outcome: 'failure', found: `${device.dev}/slot3 is no device` })
    // It may be somebody's, in a folder that was typed for another.
    expect(finding?.remedy).toContain('--dev-root')
    expect(finding?.remedy).not.toMatch(/\b(rm|[Rr]emove)\b/)
  })

  it('is in a folder that keeps the user out', async () => {
    device.plug(3)
    chmodSync(device.dev, 0o700)
    expect(await device.look(slotFilesCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'failure', found: `stranger may not enter ${device.dev}` },
    ])
  })
})

describe('the notifications of a slot', () => {
  beforeEach(() => device.plug(3))

  it('can be read', async () => {
    expect(await device.look(notificationsCheck, { user: STRANGER })).toMatchObject([
      { outcome: 'ok', found: 'readable for stranger' },
    ])
  })

  it('cannot be read', async () => {
    const file = device.attribute(3, 'notification', '', 0o600)
    expect(await device.look(notificationsCheck, { user: STRANGER })).toMatchObject([
      {
        outcome: 'failure',
        name: 'slot 3 alerts',
        remedy: containing(`chown stranger ${file} && chmod u+r ${file}`),
      },
    ])
  })

  it('need not be closed by the user: the units see /sys read-only, and do without', async () => {
    device.attribute(3, 'close_notification', '', 0o644)
    expect(await device.look(notificationsCheck, { user: STRANGER })).toMatchObject([{ outcome: 'ok' }])
  })

  it('are not there', async () => {
    rmSync(join(device.sys, 'class', 'sdbp', 'slot3', 'notification'))
    expect(await device.look(notificationsCheck)).toMatchObject([{ outcome: 'failure' }])
  })
})

describe('a slot in use', () => {
  /** The system's own processes: this one is among them. */
  const roots = () => ({ ...device.installation().roots, proc: '/proc' })
  let opened: number
  beforeEach(() => {
    device.plug(3)
    unlinkSync(join(device.dev, 'slot3'))
    opened = openSync(device.write('dev/slot3', ''), 'r')
  })
  afterEach(() => closeSync(opened))

  it('is held by another program, and that one is named', async () => {
    expect(await device.look(slotHoldersCheck, { roots: roots() })).toMatchObject([
      { outcome: 'failure', name: 'slot 3 in use', found: containing(`process ${process.pid}`) },
    ])
  })

  it('is held by the service that runs', async () => {
    const lock = lockState(device.state)
    expect(await device.look(slotHoldersCheck, { roots: roots() })).toMatchObject([
      { outcome: 'ok', found: containing('by a Slotwire that runs') },
    ])
    lock.release()
  })

  it('is held by another unit of the package', async () => {
    device.addProcess(4712, 'node', { fd: join(device.dev, 'slot3'), cgroup: '/system.slice/slotwire-io.service' })
    expect(await device.look(slotHoldersCheck)).toMatchObject([{ outcome: 'ok' }])
  })

  it('is free', async () => {
    expect(await device.look(slotHoldersCheck)).toMatchObject([{ outcome: 'ok', found: 'by nobody' }])
  })
})

describe('the USB devices', () => {
  it('are counted, without their interfaces', async () => {
    for (const name of ['usb1', '1-1', '1-1:1.0']) device.write(`sys/bus/usb/devices/${name}/product`, '')
    expect(await device.look(usbCheck)).toMatchObject([{ outcome: 'ok', found: '2 found' }])
  })

  it('cannot be listed', async () => {
    chmodSync(join(device.sys, 'bus', 'usb', 'devices'), 0o700)
    expect(await device.look(usbCheck, { user: STRANGER })).toMatchObject([{ outcome: 'warning' }])
  })

  it('are not offered by this kernel', async () => {
    rmSync(join(device.sys, 'bus'), { recursive: true })
    expect(await device.look(usbCheck)).toMatchObject([{ outcome: 'warning' }])
  })
})
