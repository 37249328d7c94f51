import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { bridge, send, twins } from './bridges.testkit.ts'
import { type EntityState, HomeAssistant } from './home-assistant.testkit.ts'
import { mosquitto } from './mosquitto.testkit.ts'

const LIMIT_MS = 120_000
const WITHIN = { timeout: 40_000, interval: 200 }
const OPTIONS = ['--every', '200ms', '--commands', 'all', '--home-assistant']

const measures = (device_class: string, unit_of_measurement: string): object => ({
  device_class,
  unit_of_measurement,
  state_class: 'measurement',
})
/** Some of each kind, as a twin has them. */
const EXPECTED: Readonly<Record<string, object>> = {
  'sensor.slot_5_pin_4_voltage': measures('voltage', 'V'),
  'sensor.slot_5_pin_4_current': measures('current', 'A'),
  'sensor.slot_1_12_v_rail_voltage': measures('voltage', 'V'),
  'sensor.slot_1_12_v_rail_current': measures('current', 'A'),
  'sensor.slot_1_12_v_rail_available_power': measures('power', 'W'),
  'sensor.slot_1_pmc_temperature': measures('temperature', '°C'),
  'sensor.slot_0_ntc_0_temperature': measures('temperature', '°C'),
  'sensor.slot_0_watchdog_timeout': measures('duration', 's'),
  'sensor.slot_1_12_v_rail_over_current_protection_trips': { state_class: 'total_increasing' },
  'select.slot_1_fan_mode': { options: ['auto', '0', '20', '40', '60', '80', '100'] },
  'sensor.slot_5_pin_1_mode': {},
  'binary_sensor.slot_0_emergency_mode': {},
  'event.slot_5_pin_1_alert': { event_types: expect.arrayContaining(['high_voltage_alert', 'custom_voltage_alert']) as unknown },
}

describeWith(['homeAssistant', 'mosquitto'], 'Home Assistant', (hass, broker) => {
  /** A device, its bridge, and Home Assistant that has all of it. */
  async function world() {
    const { port, url } = await mosquitto(broker)
    const { process: served, twins: devices } = await twins(1)
    const [device] = devices
    if (device === undefined) throw new Error('no twin')
    const assistant = await HomeAssistant.start(hass, port)
    const started = bridge(url, devices, ...OPTIONS)
    const entity = async (id: string): Promise<EntityState | undefined> => (await assistant.entities()).get(id)
    await expect.poll(async () => (await entity('sensor.slot_1_pmc_temperature'))?.state, WITHIN).toMatch(/^\d/)
    return { url, device, devices, served, started, assistant, entity }
  }

  it('shows pins, rails, temperatures, fan, watchdog and alerts by themselves, with units and classes', {
    timeout: LIMIT_MS,
  }, async () => {
    const { assistant } = await world()
    await expect
      .poll(async () => [...(await assistant.entities()).keys()], WITHIN)
      .toEqual(expect.arrayContaining(Object.keys(EXPECTED)))
    const entities = await assistant.entities()
    for (const [id, attributes] of Object.entries(EXPECTED)) expect(entities.get(id)?.attributes, id).toMatchObject(attributes)
    expect([...entities.values()].filter(({ state }) => state === 'unavailable')).toEqual([])
  })

  it('switches a pin, shows what it then is, and an alert as an event', { timeout: LIMIT_MS }, async () => {
    const { assistant, device, entity } = await world()
    const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 20 }))
    await send(device.url, '/api/io/1.0/5/power-management', { config })
    expect(await entity('switch.slot_5_pin_1')).toBeUndefined()
    // The module restarts with its power.
    const drive = (): Promise<unknown> => send(device.url, '/api/io/1.0/5/output/state', { pin: 1, state: 'low' })
    await expect.poll(drive, WITHIN).toEqual({ status: 'success' })
    await expect.poll(async () => (await entity('switch.slot_5_pin_1'))?.state, WITHIN).toBe('off')
    const { entity_id: id = '' } = (await entity('switch.slot_5_pin_1')) ?? {}
    const turnOn = async (): Promise<string | undefined> => {
      await assistant.call('switch/turn_on', { entity_id: id })
      return (await entity('switch.slot_5_pin_1'))?.state
    }
    await expect.poll(turnOn, { ...WITHIN, interval: 1000 }).toBe('on')
    await expect.poll(async () => Number((await entity('sensor.slot_5_pin_1_voltage'))?.state), WITHIN).toBeGreaterThan(4)
    // Slot 5 has a clock signal at pin 4.
    const trigger = { pin: 4, threshold_millivolt: 1500, trigger: 'rising' }
    expect(await send(device.url, '/api/io/1.0/5/input/analog/threshold', trigger)).toEqual({ status: 'success' })
    const event = async () => (await entity('event.slot_5_pin_4_alert'))?.attributes
    await expect.poll(event, WITHIN).toMatchObject({ event_type: 'custom_voltage_alert', alerts: ['custom_voltage_alert'] })
  })

  it('removes the entities of a module that was pulled out', { timeout: LIMIT_MS }, async () => {
    const { device, assistant } = await world()
    const ofSlot5 = async (): Promise<number> =>
      [...(await assistant.entities()).keys()].filter((id) => id.includes('.slot_5_')).length
    expect(await ofSlot5()).toBeGreaterThan(20)
    expect(await send(device.url, '/slotwire/bench/unplug', { slot: 5 })).toMatchObject({ status: 'success' })
    await expect.poll(ofSlot5, WITHIN).toBe(0)
    expect(await assistant.entities()).toHaveProperty('size', expect.any(Number))
  })

  it('makes everything unavailable while the bridge or the device is gone', { timeout: LIMIT_MS }, async () => {
    const { url, devices, served, started, assistant } = await world()
    const available = async (): Promise<number> =>
      [...(await assistant.entities()).values()].filter(({ state }) => state !== 'unavailable').length
    const all = await available()
    // Killed: only its will can say so.
    await started.remove()
    await expect.poll(available, WITHIN).toBe(0)
    bridge(url, devices, ...OPTIONS)
    await expect.poll(available, WITHIN).toBeGreaterThanOrEqual(all)
    await served.remove()
    await expect.poll(available, WITHIN).toBe(0)
  })
})
