import { ManualClock, seededRandom } from '@slotwire/core'
import type { Command } from '@slotwire/sdbp'
import { decodeNotification, decodeResponse, encodeRequest, ModuleRefusal, modeRun } from '@slotwire/sdbp'
import { Chassis, VolatileMemory } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'
import { ioFirmware } from './firmware.ts'
import * as wire from './wire.ts'

const SLOT = 5

/** An io module in a chassis, used through its bus; pins 1 and 2 are wired to each other. */
async function plugged() {
  const clock = new ManualClock()
  const chassis = new Chassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  chassis.plug(SLOT, ioFirmware)
  chassis.wiring.wire('5/1', '5/2')
  await chassis.powerOn()
  const link = await chassis.open(SLOT)
  const received: { atMs: number; bytes: number[] }[] = []
  link.onNotification((payload) => {
    const bytes = decodeNotification(payload)
    if (bytes !== undefined) received.push({ atMs: clock.now(), bytes: [...bytes] })
  })
  async function ask<Request, Response>(command: Command<Request, Response>, request: Request): Promise<Response> {
    const answer = link.exchange(encodeRequest(command, request))
    await clock.advance(0)
    return decodeResponse(command, await answer)
  }
  await ask(modeRun, {})
  return { clock, chassis, ask, received }
}

const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', currentMilliampere: 300 }) as const)

describe('the io module on its bus', () => {
  it('drives one pin, raises an event at the other, and disables the pin on a short circuit', async () => {
    const { clock, ask, received } = await plugged()
    await ask(wire.setPowerConfig, { config })
    await ask(wire.setInputMode, { pin: 2, mode: 'digital' })
    await ask(wire.setDigitalInterrupt, { pin: 2, debounceMs: 20, trigger: 'rising' })
    const startMs = clock.now()
    await ask(wire.setOutputState, { pin: 1, state: 'high' })
    expect((await ask(wire.getValues, {})).readings[1]).toEqual({ pin: 2, type: 'digitalState', value: 1 })
    await clock.advance(30)
    expect(received).toEqual([{ atMs: startMs + 20, bytes: [2, 0, 0, 0] }])

    await ask(wire.setOutputState, { pin: 1, state: 'low' })
    await ask(wire.setOutputState, { pin: 2, state: 'low' })
    await ask(wire.setOutputState, { pin: 1, state: 'high' })
    await clock.advance(30)
    expect(
      received.map(({ bytes }) => bytes).reduce((sum, bytes) => sum.map((mask, index) => mask | (bytes[index] ?? 0))),
    ).toEqual([2, 3, 1, 0])
    await expect(ask(wire.setDigitalCounter, { pin: 1, state: 'enabled' })).rejects.toThrow(ModuleRefusal)
  })

  it('switches its outputs off without MODE_RUN', async () => {
    const { clock, chassis, ask } = await plugged()
    await ask(wire.setPowerConfig, { config })
    await ask(wire.setOutputState, { pin: 1, state: 'high' })
    await clock.advance(999)
    expect(chassis.wiring.terminal('5/1').voltsAt(clock.now())).toBeGreaterThan(5)
    await clock.advance(1)
    expect(chassis.wiring.terminal('5/1').voltsAt(clock.now())).toBe(0)
  })

  it('refuses invalid fields with a status', async () => {
    const { ask } = await plugged()
    await expect(ask(wire.setOutputState, { pin: 1, state: 'high' })).rejects.toMatchObject({
      status: wire.OutputStatus.powerConfigurationMissing,
    })
    await expect(ask(wire.setAnalogThreshold, { pin: 1, millivolt: 50, trigger: 'rising' })).resolves.toEqual({})
  })
})
