import { describe, expect, it } from 'vitest'
import { Errno } from './errno.ts'
import { readHostDevices } from './host-devices.ts'
import { ScriptedFiles } from './scripted-files.testkit.ts'

const FOLDER = '/sys/bus/usb/devices'
const BEHIND_HUB = '/sys/devices/platform/usb/usb1/1-1/1-1.4'
const QUERY = { bus: 'usb', names: /^1-1\.[\d.]+$/, attributes: ['product', 'serial'] }

function withDevices(devices: Readonly<Record<string, Readonly<Record<string, string>>>>): ScriptedFiles {
  const files = new ScriptedFiles()
  for (const [name, attributes] of Object.entries(devices)) {
    for (const [attribute, value] of Object.entries({ uevent: '', ...attributes })) {
      files.contents.set(`${FOLDER}/${name}/${attribute}`, `${value}\n`)
    }
  }
  return files
}

describe('readHostDevices', () => {
  it('lists the devices with matching names, their paths without links, and the requested attributes', async () => {
    const files = withDevices({
      '1-1.4:1.0': {},
      '1-1.4': { manufacturer: 'Slotwire', product: 'Serial adapter', serial: 'VSA-0001' },
      '1-1.2.3': { product: 'Stick' },
      '2-1.3': { product: 'elsewhere' },
    })
    files.links.set(`${FOLDER}/1-1.4`, BEHIND_HUB)
    files.fail('realpath', `${FOLDER}/1-1.2.3`, Errno.ENOENT)
    expect(await readHostDevices(files, '/sys', QUERY)).toEqual([
      { name: '1-1.2.3', systemPath: `${FOLDER}/1-1.2.3`, attributes: { product: 'Stick', serial: '' } },
      { name: '1-1.4', systemPath: BEHIND_HUB, attributes: { product: 'Serial adapter', serial: 'VSA-0001' } },
    ])
  })

  it('returns an empty list if the system has no such bus', async () => {
    expect(await readHostDevices(new ScriptedFiles(), '/sys', QUERY)).toEqual([])
  })
})
