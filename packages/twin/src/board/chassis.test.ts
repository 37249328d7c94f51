import type { BackplaneEvent } from '@slotwire/core'
import {
  decodeNotification,
  decodeResponse,
  encodeRequest,
  ModuleRefusal,
  modeBootloader,
  modeRun,
  modeSuspend,
  setFrameSize,
  setSclkSpeed,
  systemReset,
  updateDescriptor,
} from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { RESPONSE_TIMEOUT_MS } from '../bus/host-controller.ts'
import { hang } from '../faults/kinds.ts'
import {
  breakLamp,
  getLamp,
  openOnTimedBus,
  setLamp,
  TOO_BRIGHT,
  toyChassis,
  toyDefinition,
  toyDescriptor,
} from '../module/toy-firmware.testkit.ts'
import { FAIL_SAFE_MS } from '../module/virtual-module.ts'
import { RESTART_MS } from './chassis.ts'
import { PRESENCE_MS } from './chassis-slot.ts'

async function runningToy(options: Parameters<typeof toyChassis>[0] = {}) {
  const device = toyChassis(options)
  const events: BackplaneEvent[] = []
  device.chassis.subscribe((event) => events.push(event))
  await device.chassis.powerOn()
  const link = await device.chassis.open(2)
  const run = () => link.exchange(encodeRequest(modeRun, {}))
  await run()
  const level = async () => decodeResponse(getLamp, await link.exchange(encodeRequest(getLamp, {}))).level
  const light = async (value: number) => decodeResponse(setLamp, await link.exchange(encodeRequest(setLamp, { level: value })))
  return { ...device, events, link, run, level, light }
}

describe('a chassis that is switched on', () => {
  it('finds its modules at once and reads their descriptors over the bus, long texts in parts', async () => {
    const { chassis, events } = await runningToy()
    expect(events).toEqual([{ type: 'up' }, { type: 'arrived', slot: 2 }])
    expect(chassis.present()).toEqual([2])
    expect(await chassis.descriptor(2)).toEqual(toyDescriptor)
  })

  it('rejects access to an empty slot as gone', async () => {
    const { chassis } = await runningToy()
    await expect(chassis.open(4)).rejects.toMatchObject({ failure: 'gone' })
    await expect(chassis.descriptor(4)).rejects.toMatchObject({ failure: 'gone' })
  })

  it('refuses to plug into a missing or taken slot, and to unplug from an empty one', async () => {
    const { chassis } = await runningToy()
    expect(() => chassis.plug(8, toyDefinition())).toThrow('slot is out of range: 0…7, not 8')
    expect(() => chassis.plug(2, toyDefinition())).toThrow('unplug its module first')
    expect(() => chassis.unplug(3)).toThrow('slot 3 is empty')
  })
})

describe('a module', () => {
  it('accepts only core operations until MODE_RUN', async () => {
    const { link, light, level } = await runningToy()
    await light(10)
    await link.exchange(encodeRequest(modeSuspend, {}))
    await expect(level()).rejects.toMatchObject({ failure: 'transfer-failed', message: /wrongMode/ })
  })

  it('is in its initial state after SUSPEND', async () => {
    const { link, light, level, run } = await runningToy()
    await light(10)
    expect(await level()).toBe(10)
    await link.exchange(encodeRequest(modeSuspend, {}))
    await run()
    expect(await level()).toBe(0)
  })

  it('falls back to SUSPEND exactly one second after the last MODE_RUN', async () => {
    const { clock, light, toy } = await runningToy()
    await light(10)
    await clock.advance(FAIL_SAFE_MS - 1)
    expect(toy().level).toBe(10)
    await clock.advance(1)
    expect(toy().level).toBe(0)
  })

  it('stays in RUN as long as the heartbeat comes', async () => {
    const { clock, light, run, toy } = await runningToy()
    await light(10)
    for (let beat = 0; beat < 5; beat++) {
      await clock.advance(FAIL_SAFE_MS - 1)
      await run()
    }
    expect(toy().level).toBe(10)
  })

  it('refuses with the status of its firmware', async () => {
    const { light } = await runningToy()
    await expect(light(51)).rejects.toThrow(ModuleRefusal)
    await expect(light(51)).rejects.toMatchObject({ status: TOO_BRIGHT, reason: 'too bright' })
  })

  it('survives a defect of its firmware', async () => {
    const { link, light, level } = await runningToy()
    await light(7)
    await expect(link.exchange(encodeRequest(breakLamp, {}))).rejects.toMatchObject({ failure: 'transfer-failed' })
    expect(await level()).toBe(7)
  })

  it('rejects an unknown class identifier, an unknown class, and data of a wrong length', async () => {
    const { link } = await runningToy()
    await expect(link.exchange(Uint8Array.of(2, 1, 2))).rejects.toThrow('classIdentifierInvalid')
    await expect(link.exchange(Uint8Array.of(3, 9, 2))).rejects.toThrow('classInvalid')
    await expect(link.exchange(Uint8Array.of(3))).rejects.toThrow('dataLengthInvalid')
    expect(await link.exchange(Uint8Array.of(3, 1, 2))).toEqual(Uint8Array.of(3, 1, 2, 1))
  })

  it('shows a changed descriptor after UPDATE_DESCRIPTOR', async () => {
    const { chassis, link, light } = await runningToy()
    await light(30)
    expect((await chassis.descriptor(2)).maxPower12v).toBe(12)
    await link.exchange(encodeRequest(updateDescriptor, {}))
    expect((await chassis.descriptor(2)).maxPower12v).toBe(42)
  })

  it('applies SET_FRAME_SIZE and refuses a size above its maximum', async () => {
    const { link, level, light } = await runningToy()
    expect(await link.exchange(encodeRequest(setFrameSize, { bytes: 1024 }))).toEqual(Uint8Array.of(1, 3, 7, 0))
    await light(5)
    expect(await level()).toBe(5)
    expect(await link.exchange(encodeRequest(setFrameSize, { bytes: 1025 }))).toEqual(Uint8Array.of(1, 3, 7, 1))
    expect(await level()).toBe(5)
  })

  it('refuses a payload that does not fit into the frame, without sending it', async () => {
    const { link } = await runningToy()
    await expect(link.exchange(new Uint8Array(59))).rejects.toMatchObject({ failure: 'too-long' })
  })

  it('pushes notifications', async () => {
    const { clock, link, toy } = await runningToy()
    const notifications: (Uint8Array | undefined)[] = []
    link.onNotification((payload) => notifications.push(decodeNotification(payload)))
    toy().context.notify(Uint8Array.of(1, 0))
    await clock.advance(0)
    toy().context.notify(Uint8Array.of(2, 4))
    await clock.advance(0)
    expect(notifications).toEqual([Uint8Array.of(1, 0), Uint8Array.of(2, 4)])
  })
})

describe('plugging', () => {
  it('detects a module half a second after plugging, and its removal at once', async () => {
    const { chassis, clock, events } = await runningToy()
    chassis.plug(5, toyDefinition())
    await clock.advance(PRESENCE_MS - 1)
    expect(chassis.present()).toEqual([2])
    await clock.advance(1)
    expect(chassis.present()).toEqual([2, 5])
    chassis.unplug(5)
    expect(chassis.present()).toEqual([2])
    expect(events.slice(2)).toEqual([
      { type: 'arrived', slot: 5 },
      { type: 'left', slot: 5 },
    ])
  })

  it('fails a running exchange when the module leaves', async () => {
    const { chassis, clock } = toyChassis({ bus: 'timed' })
    const link = await openOnTimedBus({ chassis, clock })
    const exchange = link.exchange(encodeRequest(getLamp, {}))
    chassis.unplug(2)
    await expect(exchange).rejects.toMatchObject({ failure: 'gone' })
    await clock.advance(0)
    expect(clock.pending).toBe(0)
  })
})

describe('the host', () => {
  it('takes a module that has a notification while another is unread for a missing one, suspends it, and finds it again', async () => {
    const { chassis, clock, link, events, toy } = await runningToy()
    const read: Uint8Array[] = []
    link.onNotification((payload) => read.push(payload))
    link.isUnread = () => read.length > 1
    for (let mask = 1; mask <= 3; mask++) {
      expect([chassis.present(), chassis.module(2).mode]).toEqual([[2], 'run'])
      toy().context.notify(Uint8Array.of(mask, 0))
      await clock.advance(20)
    }
    expect([read.length, chassis.present(), chassis.module(2).mode]).toEqual([2, [], 'suspend'])
    await expect(link.exchange(encodeRequest(modeRun, {}))).rejects.toMatchObject({ failure: 'gone' })
    await clock.advance(PRESENCE_MS)
    expect(events.slice(2).map(({ type }) => type)).toEqual(['left', 'arrived'])
    const again = await chassis.open(2)
    expect(await again.exchange(encodeRequest(modeRun, {}))).toEqual(Uint8Array.of(1, 3, 3, 0))
  })

  it('waits for n seconds after the n-th descriptor in a row that it could not read, also with those of other slots', async () => {
    const { chassis, clock } = await runningToy()
    const fault = chassis.faults.inject(3, hang())
    chassis.plug(3, toyDefinition())
    await clock.advance(PRESENCE_MS + RESPONSE_TIMEOUT_MS + 1000 + RESPONSE_TIMEOUT_MS)
    chassis.plug(5, toyDefinition())
    await clock.advance(1999)
    expect(chassis.present()).toEqual([2])
    await clock.advance(1)
    expect(chassis.present()).toEqual([2, 5])
    fault?.clear()
    await clock.advance(RESPONSE_TIMEOUT_MS + 999)
    expect(chassis.present()).toEqual([2, 5])
    await clock.advance(1)
    expect(chassis.present()).toEqual([2, 3, 5])
  })
})

describe('SYSTEM_RESET and MODE_BOOTLOADER', () => {
  it('restart the module alone: it leaves after its answer and comes back', async () => {
    const { chassis, clock, link, events, light } = await runningToy()
    await light(9)
    expect(await link.exchange(encodeRequest(systemReset, {}))).toEqual(Uint8Array.of(1, 3, 5, 0))
    await clock.advance(100)
    expect(chassis.present()).toEqual([])
    await clock.advance(PRESENCE_MS)
    expect(chassis.present()).toEqual([2])
    expect(events.slice(2)).toEqual([
      { type: 'left', slot: 2 },
      { type: 'arrived', slot: 2 },
    ])
  })

  it('start bootloader mode, in which only the core commands answer', async () => {
    const { chassis, clock, link } = await runningToy()
    await link.exchange(encodeRequest(modeBootloader, {}))
    await clock.advance(PRESENCE_MS + 100)
    expect((await chassis.descriptor(2)).bootloaderState).toBe('in bootloader mode')
    const again = await chassis.open(2)
    expect(await again.exchange(encodeRequest(modeRun, {}))).toEqual(Uint8Array.of(1, 3, 3, 1))
    await expect(again.exchange(encodeRequest(getLamp, {}))).rejects.toThrow('wrongMode')
  })
})

describe('a module that gets two restart commands at once', () => {
  it('restarts once, as the last command says', async () => {
    const { chassis, clock, link, events } = await runningToy()
    await link.exchange(encodeRequest(systemReset, {}))
    await link.exchange(encodeRequest(modeBootloader, {}))
    await clock.advance(PRESENCE_MS + 100)
    expect((await chassis.descriptor(2)).bootloaderState).toBe('in bootloader mode')
    expect(events.slice(2).map(({ type }) => type)).toEqual(['left', 'arrived'])
  })

  it.each(['unplug', 'powerOff'] as const)('stays absent after %s', async (leave) => {
    const { chassis, clock, link, events } = await runningToy()
    await link.exchange(encodeRequest(systemReset, {}))
    await link.exchange(encodeRequest(systemReset, {}))
    chassis[leave](2)
    expect(clock.pending).toBe(0)
    await clock.advance(10 * PRESENCE_MS)
    expect(events.slice(2).map(({ type }) => type)).toEqual(['left'])
    expect(chassis.present()).toEqual([])
  })
})

describe('a restart of the whole device', () => {
  it('lasts its time, loses every slot and brings the modules back in their initial state', async () => {
    const { chassis, clock, events, light, toy } = await runningToy()
    await light(20)
    chassis.restartDevice('a test')
    chassis.restartDevice('asked for twice')
    await clock.advance(50)
    expect(chassis.state).toBe('restarting')
    expect(chassis.present()).toEqual([])
    await clock.advance(RESTART_MS)
    expect(chassis.state).toBe('up')
    expect(toy().level).toBe(0)
    expect(events.slice(2)).toEqual([
      { type: 'restarting' },
      { type: 'left', slot: 2 },
      { type: 'up' },
      { type: 'arrived', slot: 2 },
    ])
  })

  it('waits for a host when the bootloader was armed, and then restarts normally', async () => {
    const { chassis, clock } = await runningToy()
    chassis.computer.armedBootloader = { windowMs: 90_000, timeoutMs: 0 }
    chassis.restartDevice('a test')
    await clock.advance(RESTART_MS + 89_000)
    expect(chassis.state).toBe('restarting')
    await clock.advance(1000 + RESTART_MS + 100)
    expect(chassis.state).toBe('up')
  })

  it('leaves no timer when it is switched off in the middle', async () => {
    const { chassis, clock } = await runningToy()
    chassis.restartDevice('a test')
    await clock.advance(100)
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })
})

it('the timed bus takes 10.54 ms for an exchange at 100 kHz: two frames and the latency of the module', async () => {
  const { chassis, clock } = toyChassis({ bus: 'timed' })
  const link = await openOnTimedBus({ chassis, clock })
  let done = false
  const exchange = link.exchange(encodeRequest(setSclkSpeed, { kilohertz: 20_000 })).then(() => {
    done = true
  })
  await clock.advance(10.5)
  expect(done).toBe(false)
  await clock.advance(0.05)
  expect(done).toBe(true)
  await exchange
  await clock.advance(1)
  const from = clock.now()
  const faster = link.exchange(encodeRequest(modeRun, {})).then(() => clock.now() - from)
  await clock.advance(5)
  expect(await faster).toBeCloseTo(2 * 0.0256 + 0.3, 6)
})
