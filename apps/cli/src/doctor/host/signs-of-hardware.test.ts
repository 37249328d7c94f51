import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeInstallation } from '../fake-installation.testkit.ts'
import { signOfHardware } from './signs-of-hardware.ts'

const UNIT = '[Service]\nExecStart=/usr/bin/slotwire serve --hardware kernel --state /var/lib/slotwire $SLOTWIRE_OPTIONS\n'
const OF_THE_PACKAGE = 'usr/lib/systemd/system/slotwire.service'
const OF_THE_ADMINISTRATOR = 'etc/systemd/system/slotwire.service'

let device: FakeInstallation
beforeEach(() => {
  device = new FakeInstallation()
  rmSync(device.sys, { recursive: true })
})
afterEach(() => device.remove())

const sign = () => signOfHardware(device.installation(), device.system)
const install = (path: string, content = ''): string => device.write(`system/${path}`, content)

describe('real hardware', () => {
  it('is what the kernel lists slots for: nothing else needs to speak for it', async () => {
    mkdirSync(join(device.sys, 'class', 'sdbp'), { recursive: true })
    expect(await sign()).toEqual({ because: undefined })
  })

  it('has a kernel module that is loaded, if without slots', async () => {
    device.write('sys/module/sdbpk/version', '1.1.2\n')
    expect(await sign()).toEqual({ because: `${device.sys}/module/sdbpk exists` })
  })

  it.each([OF_THE_PACKAGE, OF_THE_ADMINISTRATOR, 'lib/systemd/system/slotwire-io.service'])('has a unit: %s', async (path) => {
    expect(await sign()).toBeUndefined()
    install(path, UNIT)
    expect(await sign()).toEqual({ because: `${join(device.system, path)} is installed` })
  })

  it('has a unit whose command is written in several lines', async () => {
    install(OF_THE_PACKAGE, '[Service]\nExecStart=/usr/bin/slotwire serve \\\n  --services io \\\n  --hardware=kernel\n')
    expect(await sign()).toBeDefined()
  })

  it.each([
    ['a unit for a virtual device', 'etc/systemd/system/slotwire.service', UNIT.replace('kernel', 'twin')],
    ['a unit of another program', 'etc/systemd/system/other.service', UNIT],
    ['a unit that only speaks of it', 'etc/systemd/system/slotwire.service', '# serve --hardware kernel\n[Service]\n'],
    ['another kernel module', 'usr/lib/modules/6.1.0/extra/sdbpk_test.ko', ''],
  ])('is not meant by %s', async (_, path, content) => {
    install(path, content)
    expect(await sign()).toBeUndefined()
  })

  it('is not meant by a unit of the package that the administrator has replaced, or masked', async () => {
    install(OF_THE_PACKAGE, UNIT)
    const own = install(OF_THE_ADMINISTRATOR, UNIT.replace('kernel', 'twin'))
    expect(await sign()).toBeUndefined()
    rmSync(own)
    symlinkSync('/dev/null', own)
    expect(await sign()).toBeUndefined()
  })

  it.each(['extra/sdbpk.ko', 'updates/dkms/sdbpk.ko.xz', 'kernel/drivers/spi/sdbpk.ko.zst'])(
    'has a kernel module that could be loaded: %s',
    async (path) => {
      const file = install(`usr/lib/modules/6.1.0-rpi/${path}`)
      expect(await sign()).toEqual({ because: `${file} is installed` })
    },
  )
})
