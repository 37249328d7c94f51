import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { AS_A_SERVICE, FakeDevice } from './kernel-device.testkit.ts'
import { KernelService } from './kernel-service.testkit.ts'

const SERVICES = { bmc: [0], io: [3, 5], power: [1] } as const
type Name = keyof typeof SERVICES
const NAMES = Object.keys(SERVICES) as Name[]

interface Root {
  readonly version: { readonly kernel_driver: object }
  readonly devices: readonly { readonly slot_number: number }[]
}

// Each test starts several programs, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describeWith('socat', 'separate services for the module types', (socat) => {
  let folder: string
  let device: FakeDevice
  let services: Readonly<Record<Name, KernelService>>
  beforeEach(async () => {
    folder = temporaryFolder()
    device = await FakeDevice.switchedOn(socat)
    const started = await Promise.all(NAMES.map((name) => start(name)))
    services = Object.fromEntries(NAMES.map((name, index) => [name, started[index]])) as Record<Name, KernelService>
  })

  const socket = (): string => join(folder, 'power.socket')

  async function start(name: Name): Promise<KernelService> {
    const named = name === 'io' ? ['--power-manager', socket()] : []
    return KernelService.start(device, join(folder, name), '--services', name, ...named)
  }

  const power = (milliampere: number): Promise<unknown> =>
    services.io.post('io/1.0/3/power-management', {
      config: Array(6).fill({ rail: '12_volt', current_milliampere: milliampere }),
    })

  it('serve only modules of their type', async () => {
    for (const name of NAMES) {
      const { devices, version } = (await services[name].get(`${name}/`)) as Root
      expect(devices.map(({ slot_number }) => slot_number)).toEqual(SERVICES[name])
      expect(version.kernel_driver).toEqual({ major: 1, minor: 3, patch: 1 })
      expect(services[name].announcement).toMatchObject({ hardware: 'kernel', kernelDriver: '1.3.1', services: [name] })
      for (const other of NAMES.filter((one) => one !== name)) {
        expect((await fetch(`${services[name].url}/api/${other}/`)).status).toBe(404)
      }
      expect(services[name].run.errors).not.toContain('could not be started')
    }
    expect(device.tree.closings).toEqual([])
  })

  it('do not affect each other when one is killed and started again', async () => {
    const before = await services.io.get('io/')
    await services.bmc.kill()
    await expect.poll(() => device.tree.closings, { timeout: 30_000 }).toEqual([0])
    const again = await start('bmc')
    expect(again.announcement.slots.map(({ slot }) => slot)).toEqual([0])
    expect(await services.io.get('io/')).toEqual(before)
    expect(device.tree.closings).toEqual([0])
  })

  it('accept new modules of their type only', async () => {
    device.bench.slot(6).plug('io')
    device.bench.slot(7).plug('bmc')
    const slots = async (name: Name) =>
      ((await services[name].get(`${name}/`)) as Root).devices.map(({ slot_number }) => slot_number)
    await expect.poll(() => slots('io'), { timeout: 30_000 }).toEqual([3, 5, 6])
    await expect.poll(() => slots('bmc'), { timeout: 30_000 }).toEqual([0, 7])
  })

  it('share one power manager, which gets the budget from the power service', async () => {
    expect(await power(10)).toHaveProperty('message', expect.stringContaining('power.socket'))
    const manager = new SlotwireProcess(
      ['power-manager', '--socket', socket(), '--power-service', services.power.url, '--sys-root', device.tree.sysRoot],
      { startedBy: AS_A_SERVICE },
    )
    expect(await manager.firstLine()).toContain(`holds the power budget at ${socket()}`)
    expect(await power(10)).toMatchObject({ status: 'success' })
    expect(await power(500)).toMatchObject({ status: 'denied' })
  })

  it('report a missing power manager with the remedy', async () => {
    await services.io.kill()
    const io = await KernelService.start(device, join(folder, 'io'), '--services', 'io')
    services = { ...services, io }
    expect(await power(10)).toHaveProperty('message', expect.stringContaining('start slotwire power-manager'))
  })
})
