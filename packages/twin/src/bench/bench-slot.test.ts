import { describe, expect, it } from 'vitest'
import { fullStorage } from '../faults/index.ts'
import { VolatileMemory } from '../module/memory.ts'
import { toyDefinition } from '../module/toy-firmware.testkit.ts'
import { toyBench } from './bench.testkit.ts'

describe('BenchSlot', () => {
  it('names the type of its module, also after unplugging and plugging', () => {
    const { bench, chassis } = toyBench()
    const slot = bench.slot(2)
    expect(bench.slots.map(({ slot: number, moduleType }) => moduleType ?? number)).toEqual([0, 1, 'lamp', 3, 4, 5, 6, 7])
    slot.unplug()
    expect([slot.moduleType, chassis.occupiedSlots]).toEqual([undefined, []])
    bench.slot(6).plug('lamp')
    expect([bench.slot(6).moduleType, chassis.occupiedSlots]).toEqual(['lamp', [6]])
  })

  it('refuses an unknown module type, a taken slot, and unplugging from an empty slot', () => {
    const { bench } = toyBench()
    expect(() => bench.slot(3).plug('heater')).toThrow(new RangeError('there is no module type heater: lamp'))
    expect(() => bench.slot(3).plug('toString')).toThrow('there is no module type toString')
    expect(() => bench.slot(2).plug('lamp')).toThrow(new RangeError('slot 2 is taken: unplug its module first'))
    expect(() => bench.slot(3).unplug()).toThrow(new RangeError('slot 3 is empty'))
    expect(() => bench.slot(8)).toThrow(new RangeError('slot is out of range: 0…7, not 8'))
  })

  it('presses the buttons of a module that runs', async () => {
    const { bench, chassis, lamp } = toyBench()
    const slot = bench.slot(2)
    expect(slot.actions).toEqual(['main_switch'])
    expect(() => slot.press('main_switch')).toThrow(
      new RangeError('the module in slot 2 does not run: press main_switch when it is up'),
    )
    await chassis.powerOn()
    slot.press('main_switch')
    expect(lamp().switched).toBe(1)
    expect(() => slot.press('bell')).toThrow(new RangeError('the module in slot 2 has no bell to press: main_switch'))
    expect(() => slot.press('toString')).toThrow('has no toString to press')
    expect(() => bench.slot(3).press('bell')).toThrow(new RangeError('slot 3 is empty: there is no bell to press'))
    expect([bench.slot(3).actions, bench.slot(3).defects, bench.slot(3).observe()]).toEqual([[], [], {}])
    chassis.powerOff()
  })

  it('returns observations as a copy', () => {
    const { bench, lamp } = toyBench()
    lamp().level = 7
    const seen = bench.slot(2).observe()
    expect(seen).toEqual({ light: 7, lamp: { hours: [1, 2] } })
    lamp().seen.hours.push(3)
    expect(seen['lamp']).toEqual({ hours: [1, 2] })
  })

  it('set changes declared settings, also while the module is off', async () => {
    const { bench, chassis, lamp } = toyBench()
    const slot = bench.slot(2)
    expect(slot.settings).toEqual({ probe1Celsius: 21, isWet: false })
    slot.set({ probe1Celsius: -40 })
    await chassis.powerOn()
    slot.set({ isWet: true })
    slot.set({})
    expect([slot.settings, lamp().settings.now]).toEqual(Array(2).fill({ probe1Celsius: -40, isWet: true }))
    chassis.powerOff()
    slot.unplug()
    slot.plug('lamp')
    expect([slot.settings, bench.slot(3).settings]).toEqual([{ probe1Celsius: 21, isWet: false }, {}])
  })

  it.each([
    [2, { isWet: true, probe1Celsius: 125.5 }, 'probe1Celsius is out of range: -40…125 °C, not 125.5'],
    [2, { probe1Celsius: '30' }, 'probe1Celsius must be a number, not "30": -40…125 °C'],
    [2, { isWet: 1 }, 'isWet must be true or false, not a number'],
    [2, { probe5Celsius: 30 }, 'probe5Celsius is unknown: did you mean probe1Celsius?'],
    [2, { toString: 1 }, 'toString is unknown: allowed: probe1Celsius and isWet'],
    [3, { isWet: true }, 'slot 3 is empty: there is no isWet to set'],
    [4, { isWet: true }, 'the module in slot 4 has no isWet to set: slotwire.test/lamp has nothing to set'],
  ])('set in slot %i rejects %j and changes nothing: %s', (slot, change, message) => {
    const { bench, chassis } = toyBench()
    chassis.plug(4, toyDefinition())
    expect(() => bench.slot(slot).set(change)).toThrow(new RangeError(message))
    expect(bench.slot(2).settings).toEqual({ probe1Celsius: 21, isWet: false })
  })

  it('sends FACTORY_RESET to a module that is up', async () => {
    const { bench, chassis } = toyBench()
    await expect(bench.slot(3).factoryReset()).rejects.toThrow(new RangeError('slot 3 is empty'))
    await expect(bench.slot(2).factoryReset()).rejects.toThrow('the module in slot 2 is not up yet')
    await chassis.powerOn()
    await bench.slot(2).factoryReset()
    chassis.powerOff()
  })
})

describe('a defect of a module', () => {
  it('is listed and cleared like other faults', () => {
    const { bench, lamp } = toyBench()
    const slot = bench.slot(2)
    expect(slot.defects).toEqual(['filament'])
    const broken = slot.break('filament')
    expect(lamp().broken).toBe(1)
    expect(bench.faults).toEqual([broken])
    expect(broken).toMatchObject({ slot: 2, kind: 'filament', description: 'filament', settings: {} })
    expect(bench.clearFaults(2)).toBe(1)
    expect([lamp().broken, bench.faults]).toEqual([0, []])
  })

  it('ends after its duration', async () => {
    const { bench, lamp, clock } = toyBench()
    bench.slot(2).break('filament', { forMs: 100 })
    await clock.advance(99)
    expect(lamp().broken).toBe(1)
    await clock.advance(1)
    expect(lamp().broken).toBe(0)
  })

  it('is cleared when its module is unplugged, unlike a fault of the slot', () => {
    const { bench, lamp, clock } = toyBench()
    const slot = bench.slot(2)
    const before = lamp()
    slot.break('filament', { forMs: 100 })
    slot.inject(fullStorage())
    slot.unplug()
    expect([before.broken, clock.pending, bench.faults.map(({ kind }) => kind)]).toEqual([0, 0, ['fullStorage']])
    slot.plug('lamp')
    expect(lamp().broken).toBe(0)
  })

  it('stays through a restart of the device', async () => {
    const { bench, lamp, chassis, clock } = toyBench()
    await chassis.powerOn()
    bench.slot(2).break('filament')
    bench.restart()
    await clock.advance(5000)
    expect(lamp().broken).toBe(1)
    chassis.powerOff()
    expect(lamp().broken).toBe(0)
  })

  it('refuses to break the same thing twice, or a thing that the module does not have', () => {
    const { bench } = toyBench()
    bench.slot(2).break('filament')
    expect(() => bench.slot(2).break('filament')).toThrow(
      new RangeError('filament of the module in slot 2 is already active: clear it first'),
    )
    expect(() => bench.slot(2).break('fuse')).toThrow(new RangeError('the module in slot 2 has no fuse to break: filament'))
    expect(() => bench.slot(3).break('fuse')).toThrow(new RangeError('slot 3 is empty: there is no fuse to break'))
    bench.clearFaults()
  })
})

describe('two fullStorage faults in one slot', () => {
  it('refuse to save until both are cleared', () => {
    const memory = new VolatileMemory()
    const { bench, chassis } = toyBench({ memory: () => memory })
    const slot = bench.slot(2)
    const [first, second] = [slot.inject(fullStorage()), slot.inject(fullStorage())]
    first?.clear()
    expect(() => chassis.faults.slot(2).memory.save({})).toThrow('ENOSPC')
    second?.clear()
    chassis.faults.slot(2).memory.save({ kept: true })
    expect(memory.load()).toEqual({ state: 'ok', document: { kept: true } })
  })
})

describe('Bench.restart', () => {
  it('cuts the supply at once: the modules leave and come back as after a restart', async () => {
    const { bench, chassis, lamp, clock } = toyBench()
    await chassis.powerOn()
    const events: string[] = []
    chassis.subscribe(({ type }) => events.push(type))
    bench.restart()
    expect([chassis.state, chassis.present(), lamp().powered, bench.rail('3v3').isOn]).toEqual(['restarting', [], false, false])
    expect(events).toEqual(['restarting', 'left'])
    // A second restart during the first one starts the wait again.
    await clock.advance(2000)
    bench.restart()
    await clock.advance(2999)
    expect(chassis.state).toBe('restarting')
    await clock.advance(1)
    expect([chassis.state, chassis.present(), bench.rail('3v3').isOn]).toEqual(['up', [2], true])
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })

  it('ends the bootloader of the computer', async () => {
    const { bench, chassis, clock } = toyBench()
    await chassis.powerOn()
    chassis.computer.armedBootloader = { windowMs: 90_000, timeoutMs: 0 }
    chassis.restartDevice('the bootloader is armed')
    await clock.advance(4000)
    expect(chassis.computer.bootloader?.state).toBe('waiting for host')
    bench.restart()
    await clock.advance(3000)
    expect([chassis.computer.bootloader?.state, chassis.state]).toEqual([undefined, 'up'])
    chassis.powerOff()
    expect(clock.pending).toBe(0)
  })

  it('is refused while the device is switched off', () => {
    expect(() => toyBench().bench.restart()).toThrow(new RangeError('the device is switched off: switch it on first'))
  })
})
