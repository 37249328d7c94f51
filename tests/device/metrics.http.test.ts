import { expect, it } from 'vitest'
import { describeDevice } from './device.testkit.ts'
import { figures, scrape } from './metrics.testkit.ts'

const GET_VALUES = '030106'

describeDevice('a scrape', (device) => {
  it('reports the state and the module of each slot', async () => {
    const states = await figures(device, 'slotwire_slot_state')
    expect(Object.entries(states).flatMap(([labels, value]) => (value === 1 ? [labels] : []))).toEqual(
      device.chassis.occupiedSlots.map((slot) => `slot=${slot},state=usable`),
    )
    expect(await figures(device, 'slotwire_module_info')).toMatchObject({
      'slot=5,vendor_product_id=modules.noreya.tech/io,firmware_version=1.0.0,firmware_stability=S': 1,
    })
  })

  it('reports exchanges, heartbeats, sessions and notifications', async () => {
    const io = device.module('io', 5)
    const exchanges = () => figures(device, 'slotwire_bus_transactions_total')
    const before = await exchanges()
    await device.advance(0)
    const { 'slot=3': quiet = 0, 'slot=5': busy = 0 } = await exchanges()
    // The first scrape read both modules.
    expect([quiet - (before['slot=3'] ?? 0), busy - (before['slot=5'] ?? 0)]).toEqual([2, 2])
    await io.read('input/values')
    expect(await exchanges()).toMatchObject({ 'slot=3': quiet, 'slot=5': busy + 1 })
    await device.advance(1000)
    const { 'slot=5': beats = 0 } = await figures(device, 'slotwire_slot_heartbeats_total')
    expect(beats).toBeGreaterThanOrEqual(9)
    expect(beats).toBeLessThanOrEqual(11)
    expect(await figures(device, 'slotwire_slot_sessions_total')).toMatchObject({ 'slot=5': 1 })
    await io.set('input/mode', { pin: 4, mode: 'digital' })
    await io.set('input/digital/interrupt', { pin: 4, debounce_time_milliseconds: 20, trigger: 'rising' })
    await device.advance(200)
    expect((await figures(device, 'slotwire_slot_notifications_total'))['slot=5']).toBeGreaterThan(0)
  })

  it('does not wait for a module that hangs, and reports that it hangs', async () => {
    await scrape(device)
    await device.advance(6000)
    device.bus.hang(5)
    const pending = device.get('/api/io/1.0/5/input/values', { 'cache-control': 'no-cache' })
    // The clock is stopped: a wait for the module would never end.
    expect(await figures(device, 'slotwire_http_requests_in_flight')).toEqual({ '': 1 })
    expect(Object.keys(await figures(device, 'slotwire_io_pin_volts'))).toHaveLength(12)
    expect((await device.until(pending)).status).toBe(500)
    expect(await figures(device, 'slotwire_slot_state')).toMatchObject({ 'slot=5,state=hung': 1, 'slot=5,state=usable': 0 })
    expect(await figures(device, 'slotwire_bus_transaction_failures_total')).toMatchObject({ 'slot=5,reason=hung': 1 })
    expect(Object.keys(await figures(device, 'slotwire_io_pin_volts'))).toHaveLength(6)
  })

  it('does not affect other slots if a module hangs in a reading for the metrics', async () => {
    device.bus.hang(5)
    await scrape(device)
    await device.advance(1)
    expect(Object.keys(await figures(device, 'slotwire_io_pin_volts'))).toEqual(
      [1, 2, 3, 4, 5, 6].map((pin) => `slot=3,pin=${pin}`),
    )
    expect((await device.get('/api/io/1.0/3/input/values')).status).toBe(200)
  })

  it('has counters that never decrease, even when the device restarts', async () => {
    const counters = async () => (await scrape(device)).filter(({ type }) => type !== 'gauge').flatMap(({ samples }) => samples)
    const byName = async () =>
      new Map((await counters()).map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]))
    await scrape(device)
    await device.advance(1000)
    const before = await byName()
    await device.post('/api/bmc/1.0/0/hard_reset', { reset: 'yes' })
    for (let ms = 0; ms < 6000; ms += 500) {
      await device.advance(500)
      const now = await byName()
      const fallen = [...before].filter(([name, value]) => (now.get(name) ?? 0) < value && !name.includes('protection'))
      expect(fallen).toEqual([])
    }
    expect(await figures(device, 'slotwire_slot_sessions_total')).toMatchObject({ 'slot=5': 2 })
  })
})

describeDevice(
  'a scrape with a full queue',
  (device) => {
    it('does not wait for the queue, reports its length, and reads the slot only when it is empty', async () => {
      const io = device.module('io', 5)
      device.bus.hold(5)
      const write = () => io.post('input/mode', { pin: 1, mode: 'analog' })
      const pending = Array.from({ length: 5 }, write)
      await device.advance(1)
      expect(await figures(device, 'slotwire_slot_queue_length')).toMatchObject({ 'slot=3': 0, 'slot=5': 3 })
      expect(await figures(device, 'slotwire_slot_queue_refusals_total')).toMatchObject({ 'slot=5': 1 })
      await device.advance(1)
      const valuesRead = () => device.bus.exchanges(5).filter((payload) => payload === GET_VALUES).length
      expect(valuesRead()).toBe(0)
      device.bus.release(5)
      await device.advance(1)
      expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 503])
      expect(valuesRead()).toBe(1)
      // The reading is last, after every waiting write.
      expect(device.bus.exchanges(5).slice(-2)).toEqual([GET_VALUES, '030107'])
    })
  },
  { queueLimit: 3 },
)

describeDevice('a request during a reading for the metrics', (device) => {
  it('waits for the running exchange only', async () => {
    const bmc = device.module('bmc', 0)
    const before = device.bus.exchanges(0).length
    device.bus.hold(0)
    await scrape(device)
    // This reading needs two exchanges: both voltages.
    expect(device.bus.exchanges(0).slice(before)).toHaveLength(1)
    const pending = bmc.post('buzzer', { mode: 0, duration: 1 })
    await device.advance(1)
    device.bus.release(0)
    await device.advance(1)
    expect((await pending).status).toBe(200)
    const [voltage, buzzer] = device.bus.exchanges(0).slice(before)
    expect(voltage?.slice(0, 4)).not.toBe(buzzer?.slice(0, 4))
    expect(await figures(device, 'slotwire_bmc_volts')).toEqual({})
    await device.advance(1)
    expect(Object.keys(await figures(device, 'slotwire_bmc_volts'))).toHaveLength(2)
  })
})
