import { describe, expect, it } from 'vitest'
import { moduleAt, useTwins } from '../../packages/device/src/twin/twin.testkit.ts'

const twinOn = useTwins()
const list = async (twin: Awaited<ReturnType<typeof twinOn>>, service: string) => {
  const { status, body } = await twin.request({ method: 'GET', path: `/api/${service}/1.0/` })
  const { devices = [] } = body as { devices?: { slot_number: number }[] }
  return { status, slots: devices.map(({ slot_number }) => slot_number) }
}

describe('a bench slot, over REST', () => {
  it('removes an unplugged module immediately, and lists a plugged one half a second later with a new session', async () => {
    const twin = await twinOn()
    const io = moduleAt(twin, 'io', 5)
    const before = await io.session()
    twin.bench.slot(5).unplug()
    expect((await io.get('input/values')).status).toBe(404)
    expect(await list(twin, 'io')).toEqual({ status: 200, slots: [3] })
    twin.bench.slot(5).plug('io')
    await twin.clock.advance(499)
    expect((await io.get('input/values')).status).toBe(404)
    await twin.clock.advance(2)
    expect((await io.get('input/values')).status).toBe(200)
    expect(await io.session()).not.toBe(before)
  })

  it('connects a plugged module to the elements at its pins: 5/1 and 5/2 are wired', async () => {
    const twin = await twinOn()
    twin.bench.slot(5).unplug()
    twin.bench.slot(5).plug('io')
    await twin.clock.advance(1000)
    expect(twin.bench.pin(5, 1).connections.map(({ description }) => description)).toEqual(['wire from 5/1 to 5/2'])
  })

  it('accepts every module type in every slot: a second power module in slot 7', async () => {
    const twin = await twinOn()
    twin.bench.slot(7).plug('power')
    await twin.clock.advance(1000)
    expect((await list(twin, 'power')).slots).toEqual([1, 7])
  })

  it('loses the saved watchdog in a factory reset', async () => {
    const twin = await twinOn()
    const bmc = moduleAt(twin, 'bmc', 0)
    await bmc.set('watchdog', { timeout: 60_000 })
    await bmc.read('watchdog/save')
    await twin.bench.slot(0).factoryReset()
    twin.bench.restart()
    await twin.clock.advance(5000)
    expect(await bmc.read('watchdog')).toMatchObject({ timeout: 0 })
  })
})

describe('the bench device, over REST', () => {
  it('restarts within the configured time', async () => {
    const twin = await twinOn({ restartMs: 200 })
    twin.bench.restart()
    await twin.clock.advance(201)
    expect((await moduleAt(twin, 'io', 3).get('input/values')).status).toBe(200)
  })

  it('restarts after the shutdown time if the shutdown switch is pressed', async () => {
    const twin = await twinOn()
    const bmc = moduleAt(twin, 'bmc', 0)
    await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 10_000 })
    expect(twin.bench.slot(0).actions).toEqual(['shutdown_switch'])
    twin.bench.slot(0).press('shutdown_switch')
    await twin.clock.advance(9900)
    expect((await bmc.get('watchdog')).status).toBe(200)
    await twin.clock.advance(200)
    expect((await bmc.get('watchdog')).status).toBe(502)
    await twin.clock.advance(4000)
    expect((await bmc.get('watchdog')).status).toBe(200)
  })

  it('records the sounds of the buzzer with start and end', async () => {
    const twin = await twinOn()
    const bmc = moduleAt(twin, 'bmc', 0)
    await twin.clock.advance(100)
    await bmc.set('buzzer', { mode: 2, duration: 300 })
    await twin.clock.advance(1000)
    await bmc.set('buzzer', { mode: 5, duration: 500 })
    expect(twin.bench.slot(0).observe()).toEqual({
      buzzer: {
        internal_sounds: true,
        played: [
          { sound: 1, startMs: 100, endMs: 400 },
          { sound: 4, startMs: 1100, endMs: 1600 },
        ],
      },
    })
  })

  it('warms up with its surroundings and with the load of its computer', async () => {
    const twin = await twinOn()
    const [bmc, power] = [moduleAt(twin, 'bmc', 0), moduleAt(twin, 'power', 1)]
    const [before, supplyBefore] = [await bmc.figures('temperature'), await power.figures('temperature')]
    twin.bench.ambientCelsius = 45
    await twin.clock.advance(1_200_000)
    const warm = await bmc.figures('temperature')
    // An ambient temperature 25 °C higher makes the device 25 °C warmer.
    expect(Number(warm['ntc_0']) - Number(before['ntc_0'])).toBeCloseTo(20, 1)
    expect(Number(warm['ntc_1']) - Number(before['ntc_1'])).toBeCloseTo(20, 1)
    const supplyWarm = await power.figures('temperature')
    expect(Number(supplyWarm['on_board_temp'])).toBeGreaterThan(Number(supplyBefore['on_board_temp']) + 10)
    twin.bench.computerWatt = 7
    await twin.clock.advance(1_200_000)
    const busy = await bmc.figures('temperature')
    // 6.8515 K/W near the processor.
    expect(Number(busy['ntc_0']) - Number(warm['ntc_0'])).toBeCloseTo(5 * 6.8515, 1)
  })
})

describe('bench USB, over REST', () => {
  const stick = { manufacturer: 'Acme', product: 'Stick', serialCode: 'S-1' }

  it('lists a USB device 300 ms after it is attached, and removes it when detached', async () => {
    const twin = await twinOn()
    const bmc = moduleAt(twin, 'bmc', 0)
    const found = async () => {
      const { devices } = await bmc.read('usbhub/devices')
      return (devices as { slot: number; serial_code: string }[]).map(({ slot, serial_code: code }) => [slot, code])
    }
    await twin.clock.advance(1000)
    expect(await found()).toEqual([[4, 'VSA-0001']])
    expect(twin.bench.usb.devices.map(({ slot }) => slot)).toEqual([4])
    twin.bench.usb.attach(6, stick)
    await twin.clock.advance(299)
    expect(await found()).toEqual([[4, 'VSA-0001']])
    await twin.clock.advance(2)
    expect(new Map((await found()) as [number, string][])).toEqual(
      new Map([
        [4, 'VSA-0001'],
        [6, 'S-1'],
      ]),
    )
    twin.bench.usb.detach(6)
    twin.bench.usb.detach(4)
    expect(await found()).toEqual([])
  })

  it('ends the bootloader when the host at the computer’s port disconnects', async () => {
    const twin = await twinOn()
    const bmc = moduleAt(twin, 'bmc', 0)
    await bmc.set('usb_bootloader', { enabled: true, timeout: 0 })
    await bmc.set('hard_reset', { reset: 'yes' })
    await twin.clock.advance(10_000)
    expect((await bmc.get('watchdog')).status).toBe(502)
    twin.bench.usb.hostConnected = true
    await twin.clock.advance(1_200_000)
    expect((await bmc.get('watchdog')).status).toBe(502)
    twin.bench.usb.hostConnected = false
    await twin.clock.advance(4000)
    expect((await bmc.get('watchdog')).status).toBe(200)
  })
})
