import { describe, expect, it } from 'vitest'
import { ScriptedFiles } from './scripted-files.testkit.ts'
import { readUsbDevices } from './usb-devices.ts'

const FOLDER = '/sys/bus/usb/devices'

function withDevices(devices: Readonly<Record<string, Readonly<Record<string, string>>>>): ScriptedFiles {
  const files = new ScriptedFiles()
  for (const [name, attributes] of Object.entries(devices)) {
    for (const [attribute, value] of Object.entries({ uevent: '', ...attributes })) {
      files.contents.set(`${FOLDER}/${name}/${attribute}`, `${value}\n`)
    }
  }
  return files
}

describe('the USB devices of the host', () => {
  it('hang on the port that their name ends with, behind the hub of bus 1', async () => {
    const files = withDevices({
      usb1: { product: 'xHCI Host Controller' },
      '1-1': { product: 'USB2.0 Hub' },
      '1-1.4': { manufacturer: 'Slotwire', product: 'Serial adapter', serial: 'VSA-0001' },
      '1-1.4:1.0': {},
      '1-1.10': { product: 'Stick' },
      '2-1.3': { product: 'elsewhere' },
    })
    expect(await readUsbDevices(files, '/sys')).toEqual([
      { port: 4, manufacturer: 'Slotwire', product: 'Serial adapter', serialCode: 'VSA-0001', systemPath: `${FOLDER}/1-1.4` },
      { port: 10, manufacturer: '', product: 'Stick', serialCode: '', systemPath: `${FOLDER}/1-1.10` },
    ])
  })

  it('behind another hub hang on the port on which that one does', async () => {
    const files = withDevices({ '1-1.2.3': { product: 'far' }, '1-1.2': { product: 'hub' }, '1-1.2.3:1.0': {} })
    expect((await readUsbDevices(files, '/sys')).map(({ port, product }) => [port, product])).toEqual([
      [2, 'hub'],
      [2, 'far'],
    ])
  })

  it('are none where the system has no USB', async () => {
    expect(await readUsbDevices(new ScriptedFiles(), '/sys')).toEqual([])
  })
})
