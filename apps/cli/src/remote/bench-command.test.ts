import { createBenchExtension } from '@slotwire/bench-api'
import { ManualClock, PacedClock } from '@slotwire/core'
import { catalog, createTwin, type Twin } from '@slotwire/device/twin'
import { benchActions } from '@slotwire/twin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '../command.testkit.ts'

let twin: Twin
let time: PacedClock
let url: string

beforeAll(async () => {
  time = new PacedClock(new ManualClock())
  const extensions = (device: Twin) => [createBenchExtension({ device, time, catalog })]
  twin = await createTwin({ clock: time, extensions })
  url = await twin.listen()
  await twin.start()
  await twin.actions.connect({ pin: '3/1', to: { source: { volts: 24 } }, as: 'sensor' })
})
afterAll(() => twin.close())

const bench = (...words: readonly string[]) => runInProcess('bench', ...words, '--url', url)

describe('slotwire bench', () => {
  it.each([
    ['short 3/1 as=bridge', () => twin.bench.connection('bridge').kind, 'short'],
    ['connect 3/2 source=24V ohms=10k as=supply', () => twin.bench.connection('supply').settings, { volts: 24, ohms: 10_000 }],
    ['connect 3/3 resistor ohms=1k other=3/4 as=load', () => twin.bench.connection('load').terminals, ['3/3', '3/4']],
    ['set sensor volts=12V', () => twin.bench.connection('sensor').settings['volts'], 12],
    ['wire 3/5 3/6 as=joint', () => twin.bench.connection('joint').terminals, ['3/5', '3/6']],
    ['fault 3 late_frames=5ms share=50% for=10s', () => twin.bench.faults.map(({ kind }) => kind), ['lateFrames']],
    ['clear-faults all', () => twin.bench.faults, []],
    ['rail 12v load_milliampere=0.5A', () => twin.bench.rail('12v').loadMilliampere, 500],
    ['plug 7 io', () => twin.bench.slot(7).moduleType, 'io'],
    ['pace 10', () => time.pace, 10],
  ])('does %s', async (line, state, expected) => {
    expect(await bench(...line.split(' '))).toMatchObject({ code: 0 })
    expect(state()).toEqual(expected)
  })

  it('prints the name of what it made', async () => {
    expect((await bench('short', '5/6', '--json')).output).toMatch(/"name":"c\d+"/)
  })

  it.each([
    ['short 9/1', 'pin is not allowed: a pin as slot/pin, as in 3/1, not "9/1"'],
    ['connect 3/1 sorce=24V', 'did you mean source?'],
    ['rail 12v', 'load_milliampere is missing'],
    ['connect 3/1 relay=120', 'relay needs contact: the two pins that it connects'],
  ])('refuses %s: %s', async (line, message) => {
    const { code, errors } = await bench(...line.split(' '))
    expect([code, errors]).toEqual([2, expect.stringContaining(message)])
  })

  it('says why the bench refuses', async () => {
    expect(await bench('unplug', '2')).toMatchObject({ code: 1, errors: expect.stringContaining('slot 2 is empty') as string })
  })

  it('has a command with help for every action', async () => {
    const { output } = await runInProcess('bench', '--help')
    for (const name of Object.keys(benchActions({}))) expect(output).toContain(`  ${name.replaceAll('_', '-')} `)
    expect((await runInProcess('bench', 'connect', '--help')).output).toMatch(/\n {2}other +pin at the other end.*\n/)
  })
})
