import { recordKinds } from '@slotwire/contract'
import { ManualClock } from '@slotwire/core'
import { hang } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { moduleAt, pinsOn, type TestTwin, until, useTwins } from '../../../../packages/device/src/twin/twin.testkit.ts'
import { recordsOf } from '../../../../packages/events/src/feed/records.testkit.ts'
import { de } from '../texts/de.ts'
import { en } from '../texts/en.ts'
import { sentenceOf } from './sentence.ts'

const twinOf = useTwins()

/** Does all that a device records. */
async function liveThrough(twin: TestTwin, realTime: ManualClock): Promise<void> {
  const [bmc, power, io] = [moduleAt(twin, 'bmc', 0), moduleAt(twin, 'power', 1), moduleAt(twin, 'io', 3)]
  const lease = async (body: object): Promise<Record<string, unknown>> => {
    const all = { ttl_seconds: 10, on_lapse: 'safe', ...body }
    return (await until(twin, twin.request({ method: 'POST', path: '/slotwire/leases', body: all }))).body as Record<
      string,
      unknown
    >
  }
  await io.set('power-management', pinsOn('5_volt', 100))
  await io.post('power-management', pinsOn('12_volt', 500))
  await io.set('output/state', { pin: 2, state: 'high' })
  const short = twin.bench.pin(3, 2).short()
  await twin.clock.advance(100)
  short.disconnect()
  await lease({ slots: [3, 5, 1], holder: 'Ada' })
  const { number, secret } = await lease({ slots: [3, 5, 0], holder: 'Bob <img onerror>{from}', force: true })
  const headers = { 'slotwire-lease': String(secret) }
  await twin.request({ method: 'DELETE', path: `/slotwire/leases/${String(number)}`, headers })
  await lease({ slots: [3], holder: 'Eve' })
  await realTime.advance(10_000)
  await twin.clock.advance(1000)
  await power.set('limits', { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 500 })
  twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 600 })
  await twin.clock.advance(100)
  twin.chassis.rails.setDraw(6, { '3v3': 0, '5v0': 0, '12v': 0 })
  await twin.clock.advance(11_000)
  twin.bench.slot(3).inject(hang(), { forMs: 3000 })
  await twin.clock.advance(8000)
  twin.clock.skip(2000)
  await twin.clock.advance(1000)
  await bmc.set('usbhub', { state: true })
  await bmc.set('usbhub/slot/4', { state: false })
  await bmc.set('usbhub/reset', { reset: 'yes' })
  await bmc.set('usb_bootloader', { enabled: false })
  await bmc.set('watchdog', { timeout: 0 })
  await bmc.set('watchdog', { timeout: 2000 })
  await twin.clock.advance(1600)
  await bmc.read('watchdog/alive')
  await twin.clock.advance(15_000)
}

describe('sentenceOf', () => {
  it('has a sentence for each record that a device makes', async () => {
    const realTime = new ManualClock()
    const twin = await twinOf({ realTime })
    await liveThrough(twin, realTime)
    const records = recordsOf(twin)
    expect(new Set(records.map(({ kind }) => kind))).toEqual(new Set(recordKinds))
    const isTold = (_: unknown, index: number): boolean => records[index]?.kind !== 'write' || index < 9
    const sentences = records.map((record) => sentenceOf(record, en) ?? JSON.stringify(record)).filter(isTold)
    expect([...new Set(sentences.map((sentence) => sentence.replace(/\d{4}(-\w{4})+/, '…')))]).toEqual([
      'The Mainboard module is usable. Serial number ….',
      'The Power module is usable. Serial number ….',
      'The IO module is usable. Serial number ….',
      'The power configuration is granted and applied.',
      'POST /api/io/1.0/3/power-management (5 V 100) got 200.',
      'The power configuration is denied. Missing: 12 V 7.45 W.',
      'POST /api/io/1.0/3/power-management (12 V 500) got 200.',
      'POST /api/io/1.0/3/output/state (pin 2, state high) got 200.',
      'Pin 2: Under voltage, High current. The module made this pin an analog input.',
      'Ada drives slots 3, 5, 1.',
      'Bob <img onerror>{from} took slots 3, 5 over from Ada, and drives slots 3, 5, 0.',
      'Bob <img onerror>{from} gave slots 3, 5, 0 back.',
      'Eve drives slot 3.',
      'The lease of Ada for slot 1 lapsed: expired.',
      'The lease of Eve for slot 3 lapsed: expired.',
      'Safe state after the lease of Eve: slot 3: applied.',
      'Over current 12 V: the counter rose from 0 to 1.',
      'The IO module does not answer any more.',
      'The Mainboard module has a new session: it is in its initial state.',
      'The Power module has a new session: it is in its initial state.',
      'The IO module has a new session: it is in its initial state.',
      'USB hub: on is saved. A reset of the hub applies it.',
      'USB port of slot 4: off is saved. A reset of the hub applies it.',
      'The USB hub was reset: the saved settings are applied.',
      'USB bootloader after the next reset: off.',
      'The watchdog is switched off.',
      'The watchdog is set to 2.0 s.',
      'The watchdog was fed late: after 1.6 s of 2.0 s.',
      'The device restarts.',
      'The watchdog was not fed within 2.0 s: it resets the device.',
      'The Mainboard module is gone.',
      'The Power module is gone.',
      'The IO module is gone.',
      'The device is up again.',
    ])
    for (const record of records) expect(sentenceOf(record, de)).not.toMatch(/^undefined|–|object/)
  })

  it.each([
    { kind: 'weather', event: 'rain' },
    { kind: 'module', event: 'danced' },
  ])('has none for %j', (record) => {
    expect(sentenceOf(record, en)).toBeUndefined()
  })

  it('names the pin of an alert', () => {
    const record = { kind: 'alert', pin: 2, name: 'lamp', alerts: ['custom_voltage_alert'] }
    expect(sentenceOf(record, en)).toBe('Pin 2 (lamp): Custom voltage.')
  })

  it('speaks German', () => {
    const record = { kind: 'watchdog', event: 'fed_late', timeout: 2000, after_milliseconds: 1600 }
    expect(sentenceOf(record, de)).toBe('Der Watchdog wurde spät bedient: nach 1,6 s von 2,0 s.')
  })
})
