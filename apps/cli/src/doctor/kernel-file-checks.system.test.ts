import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identitiesCheck, judgeIdentity, RID_DEADLINE_MS } from './checks/check-identities.ts'
import { kernelFilesCheck } from './checks/check-kernel-files.ts'
import { FakeInstallation, STRANGER } from './fake-installation.testkit.ts'
import { containing, matching } from './matchers.testkit.ts'

const MKFIFO = 'mkfifo'

let device: FakeInstallation
let folder: string
beforeEach(() => {
  device = new FakeInstallation()
  folder = device.plug(3)
})
afterEach(() => device.remove())

describe('what the service reads below /sys', () => {
  const look = () => device.look(kernelFilesCheck, { user: STRANGER })

  it('is readable', async () => {
    expect(await look()).toEqual([{ outcome: 'ok', found: 'readable for stranger' }])
  })

  it('is not there without the kernel module: the check of that one says so', async () => {
    rmSync(device.sys, { recursive: true })
    expect(await look()).toEqual([{ outcome: 'ok', found: 'none is there' }])
  })

  it('is readable for the owner and for a group of the user', async () => {
    chmodSync(join(folder, 'serial_code'), 0o440)
    const { user } = device.installation()
    const member = { ...STRANGER, gids: [...STRANGER.gids, ...user.gids] }
    expect(await device.look(kernelFilesCheck, { user: member })).toMatchObject([{ outcome: 'ok' }])
    expect(await device.look(kernelFilesCheck, { user })).toMatchObject([{ outcome: 'ok' }])
  })

  it('is the version of the kernel driver, which this user may not read', async () => {
    const file = device.write('sys/module/sdbpk/version', '1.1.2\n', 0o400)
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        found: matching(new RegExp(`^stranger may not read ${file} \\(mode 0400, owner \\d+, group \\d+\\)$`)),
        remedy: `Let everybody do so until the next start: chmod a+r ${file}.`,
      },
    ])
  })

  it.each([
    ['0700', 0o700, 'stranger may not list '],
    ['0711, whose slots cannot be listed', 0o711, 'stranger may not list '],
    ['0744, whose slots cannot be entered', 0o744, 'stranger may not list '],
  ])('is a list of slots of mode %s', async (_, mode, found) => {
    const list = join(device.sys, 'class', 'sdbp')
    chmodSync(list, mode)
    expect(await look()).toMatchObject([
      { outcome: 'failure', found: containing(found + list), remedy: containing(`chmod a+rx ${list}`) },
    ])
  })

  it('is a slot that the user may not enter', async () => {
    chmodSync(folder, 0o700)
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        name: 'slot 3 attributes',
        found: `stranger may not enter ${folder}`,
        remedy: `Let everybody in until the next start: chmod a+x ${folder}.`,
      },
    ])
  })

  it('is a slot that is a link, as on a device, into a folder that the user may not enter', async () => {
    rmSync(folder, { recursive: true })
    const parent = join(device.sys, 'devices', 'platform')
    mkdirSync(join(parent, 'slot3'), { recursive: true })
    device.write('sys/devices/platform/slot3/vendor_product_id', '')
    symlinkSync(join(parent, 'slot3'), folder)
    chmodSync(parent, 0o700)
    expect(await look()).toMatchObject([{ outcome: 'failure', found: `stranger may not enter ${parent}` }])
  })

  it.each([
    ['vendor_product_id'],
    ['bootloader_state'],
    ['max_power_3v3'],
    ['max_power_5v0'],
    ['max_power_12v'],
    ['serial_code'],
    ['fw_version'],
    ['hw_version'],
    ['protocol_version'],
    ['max_frame_size'],
    ['max_sclk_speed'],
    ['vendor_name'],
    ['product_name'],
  ])('is %s, which this user may not read', async (attribute) => {
    chmodSync(join(folder, attribute), 0o400)
    expect(await look()).toMatchObject([
      {
        outcome: 'failure',
        name: 'slot 3 attributes',
        found: containing(`stranger may not read ${attribute} in ${folder} (mode 0400, owner `),
        remedy: containing(`: cd ${folder} && chmod a+r ${attribute}.`),
      },
    ])
  })

  it('is several attributes, told together where their rights are the same', async () => {
    for (const name of ['serial_code', 'fw_version']) chmodSync(join(folder, name), 0o400)
    chmodSync(join(folder, 'max_power_12v'), 0o600)
    expect(await look()).toMatchObject([
      { found: containing('may not read serial_code, fw_version in'), remedy: containing('chmod a+r serial_code fw_version.') },
      { found: containing('may not read max_power_12v in') },
    ])
  })

  it('is told once where one folder keeps the user out of all', async () => {
    chmodSync(device.sys, 0o700)
    expect(await look()).toMatchObject([{ outcome: 'failure', found: `stranger may not enter ${device.sys}` }])
  })
})

describe('the rid of a slot', () => {
  const rid = () => join(folder, 'rid')
  const look = () => device.look(identitiesCheck, { user: STRANGER })

  it('is there', async () => {
    expect(await look()).toMatchObject([{ outcome: 'ok', found: containing('none is mistaken for another') }])
  })

  it('is not there', async () => {
    unlinkSync(rid())
    expect(await look()).toMatchObject([
      {
        outcome: 'warning',
        name: 'slot 3 identity',
        found: `${rid()} does not exist: a module that takes another’s place at once passes for the same`,
        remedy: containing(`ls -l ${rid()}`),
      },
    ])
  })

  it('is a pipe, which would block', async () => {
    unlinkSync(rid())
    execFileSync(MKFIFO, [rid()])
    expect(await look()).toMatchObject([{ outcome: 'warning', found: containing(`${rid()} is no regular file: `) }])
  })

  it('may not be read by the user', async () => {
    chmodSync(rid(), 0o400)
    expect(await look()).toMatchObject([
      {
        outcome: 'warning',
        found: containing(`stranger may not read ${rid()} (mode 0400, `),
        remedy: containing(`chmod a+r ${rid()}`),
      },
    ])
  })

  it('is empty', async () => {
    device.attribute(3, 'rid', '\0')
    expect(await look()).toMatchObject([{ outcome: 'warning', found: containing(`${rid()} is empty: `) }])
  })

  it('is in a folder that the user may not enter: that is told elsewhere', async () => {
    chmodSync(folder, 0o700)
    expect(await look()).toMatchObject([{ outcome: 'ok' }])
  })

  it('blocks when it is read: no more than a warning, in time for it', async () => {
    const clock = new ManualClock()
    let isReading = false
    const read = (): Promise<string> => {
      isReading = true
      return new Promise(() => undefined)
    }
    const slot = { name: 'slot 3', folder, file: '/dev/slot3' }
    const judged = judgeIdentity(slot, { user: STRANGER, clock, read })
    await expect.poll(() => isReading).toBe(true)
    await clock.advance(RID_DEADLINE_MS)
    expect(await judged).toMatchObject([{ outcome: 'warning', found: containing('cannot be read (no answer within 3 s)') }])
  })

  it('is waited for while the descriptor is updated', async () => {
    let attempts = 0
    const read = (): Promise<string> =>
      ++attempts < 3 ? Promise.reject(Object.assign(new Error('later'), { code: 'EAGAIN' })) : Promise.resolve('17\0')
    const slot = { name: 'slot 3', folder, file: '/dev/slot3' }
    expect(await judgeIdentity(slot, { user: STRANGER, clock: new SystemClock(), read })).toEqual([])
    expect(attempts).toBe(3)
  })
})
