import * as twin from '@slotwire/twin'
import { beforeEach, expect, it } from 'vitest'
import { RecordingLog } from '../../packages/driver/src/rack/recording-log.testkit.ts'
import { describeDevice } from './device.testkit.ts'

const FRESH = { 'cache-control': 'no-cache' }
/** Time until a module that was given up is driven again. */
const BACK_MS = 4000
const FAILING_MS = 3000
/** The module is given up with the heartbeat that is due then. */
const GIVEN_UP_MS = 1000
/** Longest wait of the driver for one exchange, including WAIT. */
const EXCHANGE_DEADLINE_MS = 2000

const RETRIES = Array<string>(3).fill('warn exchange failed, trying again')
const UNHEARD = [...RETRIES, 'error a request failed', 'warn heartbeat failed', 'warn the module hangs and is given up']
const HUNG = ['warn the module hangs and is given up', 'warn module is no longer used', 'error a request failed']

interface Story {
  readonly name: string
  readonly fault: twin.Fault
  readonly status: number
  readonly message: string | undefined
  readonly ms: number
  /** Lines of the log during the fault, and one that follows after its end. */
  readonly lines: readonly string[]
  readonly atLast: string | undefined
  /** The module's session in the list: at first, after some seconds, and after the end. */
  readonly sessions: readonly ('same' | 'none' | 'new')[]
}

const NO_ANSWER = 'the module in slot 3 did not answer GET_VALUES (attempts: 4)'
const MAYBE_EXECUTED = 'the module in slot 3 does not answer any more: the request may have been executed'
const INVALID_RESPONSE = 'the module in slot 3 sent an invalid response to GET_VALUES'
const unheard = {
  status: 500,
  message: NO_ANSWER,
  lines: UNHEARD,
  atLast: 'info module is usable',
  sessions: ['same', 'none', 'new'],
} as const

const silent = { message: MAYBE_EXECUTED, ms: GIVEN_UP_MS, sessions: ['none', 'none', 'new'] } as const

const stories: readonly Story[] = [
  // Some of the lost frames reach the module: not every attempt waits for a pulse. It may look like a restart.
  { name: 'all frames are lost', fault: twin.lostFrames({ share: 1 }), ...unheard, ms: 750, sessions: ['new', 'none', 'new'] },
  { name: 'all frames are corrupted', fault: twin.crcErrors({ share: 1 }), ...unheard, ms: 0 },
  { name: 'all responses come late', fault: twin.lateFrames({ share: 1, delayMs: 5000 }), ...unheard, ...silent },
  { name: 'the module hangs', fault: twin.hang(), ...unheard, ...silent },
  { name: 'it answers with the wrong class', fault: twin.wrongClass({ share: 1 }), ...unheard, message: INVALID_RESPONSE, ms: 0 },
  { name: 'it sends garbage', fault: twin.garbage({ share: 1 }), ...unheard, message: INVALID_RESPONSE, ms: 0 },
  {
    name: 'all responses come twice',
    fault: twin.duplicatedFrames({ share: 1 }),
    status: 200,
    message: undefined,
    ms: 0,
    lines: ['warn heartbeat failed'],
    atLast: undefined,
    sessions: ['same', 'same', 'same'],
  },
  {
    name: 'it asks for more time, again and again',
    fault: twin.endlessWait({ waitMs: 300 }),
    status: 500,
    message: MAYBE_EXECUTED,
    ms: EXCHANGE_DEADLINE_MS,
    lines: HUNG,
    atLast: 'info module is usable',
    sessions: ['none', 'none', 'new'],
  },
  {
    name: 'it reboots',
    fault: twin.reboot(),
    status: 404,
    message: 'slot 3 holds no usable io module: GET /api/io/ lists the usable ones',
    ms: 0,
    lines: ['warn module is no longer used'],
    atLast: 'info module is usable',
    sessions: ['none', 'new', 'new'],
  },
]

const log = new RecordingLog()
const lines = () => log.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level} ${message}`)

beforeEach(() => (log.lines.length = 0))

describeDevice(
  'slot 3 when',
  (device) => {
    const [io, other] = [device.module('io', 3), device.module('io', 5)]
    const others = [other, device.module('bmc', 0), device.module('power', 1)]
    const sessionsOfOthers = () => Promise.all(others.map((module) => module.session()))

    it.each(stories)('$name: responds with $status after $ms ms, logs it, and affects no other slot', async (story) => {
      const [before, othersBefore] = [await io.session(), await sessionsOfOthers()]
      const seen = async () => {
        const session = await io.session()
        return session === undefined ? 'none' : session === before ? 'same' : 'new'
      }
      /** Every other slot answers without a wait. */
      const expectOthersUntouched = async () => {
        const atMs = device.clock.now()
        for (const [module, path] of [
          [others[0], 'input/values'],
          [others[1], 'voltage'],
          [others[2], 'stats'],
        ] as const)
          expect((await module?.get(path, FRESH))?.status).toBe(200)
        expect(device.clock.now()).toBe(atMs)
        expect(await sessionsOfOthers()).toEqual(othersBefore)
      }
      await other.set('input/analog/threshold', { pin: 6, threshold_millivolt: 2500, trigger: 'rising' })
      log.lines.length = 0
      const active = device.chassis.faults.inject(3, story.fault)
      const askedMs = device.clock.now()
      let answeredMs = Number.NaN
      const asking = io.get('input/values', FRESH).finally(() => {
        answeredMs = device.clock.now()
      })
      await expectOthersUntouched()
      const { status, body } = await device.until(asking)
      // The heartbeats are some milliseconds apart from the full tenths of a second.
      const ms = 50 * Math.round((answeredMs - askedMs) / 50)
      expect([status, body?.['message'], ms]).toEqual([story.status, story.message, story.ms])
      expect(log.lines.filter(({ fields }) => 'slot' in fields && fields.slot !== 3)).toEqual([])
      const sessions = [await seen()]

      // An event in another slot is still notified 20 ms later.
      device.chassis.wiring.connect('5/6', twin.source({ volts: 5 }))
      await device.advance(20)
      expect(await other.read('notification/6')).toMatchObject({ custom_voltage_alert: true })
      await device.advance(FAILING_MS)
      await expectOthersUntouched()
      sessions.push(await seen())
      expect(lines()).toEqual(expect.arrayContaining([...story.lines]))

      active?.clear()
      await device.advance(BACK_MS)
      expect((await io.get('input/values', FRESH)).status).toBe(200)
      expect([...sessions, await seen()]).toEqual(story.sessions)
      if (story.atLast !== undefined) expect(lines()).toContain(story.atLast)
      await expectOthersUntouched()
    })
  },
  { log },
)

describeDevice(
  'the log',
  (device) => {
    const [bmc, power] = [device.module('bmc', 0), device.module('power', 1)]
    const othersOf = () => Promise.all([device.module('io', 3).session(), device.module('io', 5).session(), power.session()])

    it('records full storage: a write fails with 500, reads and other modules work, and no session changes', async () => {
      const before = [await bmc.session(), ...(await othersOf())]
      const fault = device.chassis.faults.inject(0, twin.fullStorage())
      const askedMs = device.clock.now()
      const { status, body } = await bmc.post('watchdog/sw_shutdown_timeout', { timeout: 20_000 })
      expect([status, device.clock.now() - askedMs]).toEqual([500, 0])
      expect(body?.['message']).toContain('storage is full or broken')
      expect((await bmc.get('watchdog')).status).toBe(200)
      expect((await bmc.read('watchdog'))['shutdown_timeout']).toBe(60_000)
      expect([await bmc.session(), ...(await othersOf())]).toEqual(before)
      expect(lines()).toContain('error a request failed')
      fault?.clear()
      await bmc.set('watchdog/sw_shutdown_timeout', { timeout: 20_000 })
    })

    it('records corrupt storage: what needs saving fails with 400 and the reason, all else works', async () => {
      const before = [await bmc.session(), ...(await othersOf())]
      device.chassis.faults.inject(0, twin.corruptStorage())
      const { status, body } = await bmc.post('usbhub', { state: false })
      expect(status).toBe(400)
      expect(body?.['message']).toMatch(/emergency/i)
      expect(await bmc.read('watchdog')).toMatchObject({ emergency_mode: true })
      expect((await bmc.get('temperature')).status).toBe(200)
      expect([await bmc.session(), ...(await othersOf())]).toEqual(before)
    })

    it('records lost memory of a supply: it starts again with counters at zero', async () => {
      device.chassis.rails.setVoltageOffset('12v', -1000)
      await device.advance(100)
      device.chassis.rails.setVoltageOffset('12v', 0)
      expect((await power.read('protectionlog'))['uvp_cnt_12v']).toBe(1)
      device.chassis.faults.inject(1, twin.memoryLoss())
      device.chassis.faults.inject(1, twin.reboot())
      await device.advance(2000)
      expect((await power.read('protectionlog'))['opp_protection_cnt']).toBe(0)
    })
  },
  { log },
)

describeDevice('an event during a fault', (device) => {
  const io = device.module('io', 3)
  const raise = async () => {
    await io.set('input/analog/threshold', { pin: 1, threshold_millivolt: 2500, trigger: 'rising' })
    device.chassis.wiring.connect('3/1', twin.source({ volts: 5 }))
  }

  it.each([
    ['late responses', twin.lateFrames({ share: 1, delayMs: 400 })],
    ['a module that hangs', twin.hang()],
  ])('is notified once after the end of the fault: %s', async (_name, fault) => {
    await raise()
    device.chassis.faults.inject(3, fault, { forMs: 400 })
    await device.advance(1000)
    expect(await io.read('notification/1')).toMatchObject({ custom_voltage_alert: true })
    await device.advance(2000)
    expect(await io.read('notification/1')).toMatchObject({ custom_voltage_alert: false })
  })
})
