import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { readHostDevices } from './kernel-backplane.ts'
import { SystemFiles } from './system-files.ts'

describe('readHostDevices with real files', () => {
  let sysRoot: string
  let files: SystemFiles
  beforeEach(() => {
    sysRoot = temporaryFolder()
    files = new SystemFiles({ clock: new SystemClock(), processors: 1 })
  })
  afterEach(() => files.close())

  const namesOf = async (manufacturer: Uint8Array, product: Uint8Array, serial: Uint8Array): Promise<readonly string[]> => {
    const folder = join(sysRoot, 'bus', 'usb', 'devices', '1-1.4')
    mkdirSync(folder, { recursive: true })
    for (const [name, bytes] of Object.entries({ manufacturer, product, serial })) writeFileSync(join(folder, name), bytes)
    const attributes = ['manufacturer', 'product', 'serial']
    const [device] = await readHostDevices(files, sysRoot, { bus: 'usb', names: /^1-1\.4$/, attributes })
    return attributes.map((name) => device?.attributes[name] ?? '')
  }

  it('reads names as UTF-8', async () => {
    // "Müller®", "日本語" and "Ω-1" as UTF-8.
    const manufacturer = Buffer.from('4dc3bc6c6c6572c2ae0a', 'hex')
    const product = Buffer.from('e697a5e69cace8aa9e0a', 'hex')
    const serial = Buffer.from('cea92d310a', 'hex')
    expect(await namesOf(manufacturer, product, serial)).toEqual(['Müller®', '日本語', 'Ω-1'])
  })

  it('reports the path of a device without symbolic links', async () => {
    const [bus, behindHub] = [join(sysRoot, 'bus', 'usb', 'devices'), join(sysRoot, 'devices', 'usb1', '1-1', '1-1.4')]
    for (const folder of [bus, behindHub]) mkdirSync(folder, { recursive: true })
    symlinkSync('../../../devices/usb1/1-1/1-1.4', join(bus, '1-1.4'))
    const [device] = await readHostDevices(files, sysRoot, { bus: 'usb', names: /^1-1\.4$/, attributes: [] })
    expect(device?.systemPath).toBe(realpathSync(behindHub))
  })

  it('replaces each invalid byte with U+FFFD and reads the other names', async () => {
    const names = await namesOf(Buffer.from('4dfc6c0a', 'hex'), Buffer.from('ff0a', 'hex'), Buffer.from('VSA-0001\n'))
    expect(names).toEqual(['M\ufffdl', '\ufffd', 'VSA-0001'])
  })
})
