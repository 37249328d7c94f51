import { type ConnectOptions, connectWith } from '@slotwire/client'
import { createTwin } from '@slotwire/device/twin'
import * as clients from '@slotwire/modules/clients'
import { describe, expect, it, onTestFinished } from 'vitest'

const FIFTY = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 50 }) as const)

async function connected(options?: ConnectOptions) {
  const twin = await createTwin()
  onTestFinished(() => twin.close())
  const url = await twin.listen()
  await twin.start()
  const device = await connectWith(clients, url, options)
  onTestFinished(() => device.close())
  return { twin, device, url }
}

describe('the client', () => {
  it('finds the modules and calls them', async () => {
    const { device } = await connected()
    expect(device.modules.map(({ slot, service }) => `${slot} ${service}`)).toEqual(['0 bmc', '1 power', '3 io', '5 io'])
    expect(await device.power().stats()).toMatchObject({ voltage_3v3: expect.any(Number) })
    const io = device.io(3)
    await io.reset()
    await io.power(FIFTY)
    await io.pin(1).output('high')
    expect(await io.pin(1).value()).toMatchObject({ pin: 1 })
    const { serial_code: serial } = await device.io(5).descriptor()
    expect((await device.find('io', { serial })).slot).toBe(5)
  })

  it('sets a module up once in each new session', async () => {
    const { device, twin } = await connected()
    let setups = 0
    await device.io(3).setup(async (io) => {
      setups++
      await io.reset()
      await io.power(FIFTY)
    })
    expect(setups).toBe(1)
    twin.bench.slot(3).unplug()
    twin.bench.slot(3).plug('io')
    const again = new Promise((resolve) => device.on('setup', resolve))
    await again
    await device.io(3).pin(1).output('high')
    expect(setups).toBe(2)
  })
})
