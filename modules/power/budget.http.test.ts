import { expect, it } from 'vitest'
import { describeDevice } from '../../tests/device/device.testkit.ts'

const MORE_THAN_THERE_IS = { config: Array.from({ length: 6 }, () => ({ rail: '12_volt', current_milliampere: 500 })) }

describeDevice('the power budget while the power module does not answer', (device) => {
  const io = device.module('io', 5)
  const ask = () => device.until(io.post('power-management', MORE_THAN_THERE_IS))

  it('is the last one, not unlimited, while the module hangs', async () => {
    device.bus.hang(1)
    await device.advance(3000)
    expect(await device.module('power', 1).session()).toBeUndefined()
    expect((await ask()).body).toMatchObject({ status: 'denied' })
  })

  it('is unknown, with a 500, also just before the module is given up', async () => {
    device.bus.hang(1)
    const before = device.bus.exchanges(5).length
    expect((await ask()).status).toBe(500)
    expect(device.bus.exchanges(5)).toHaveLength(before)
  })
})
