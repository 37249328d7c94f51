import type { NamedPin } from '@slotwire/contract'
import { createTwin, type Twin } from '@slotwire/device/twin'
import { resistor, source } from '@slotwire/twin'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInProcess } from '../command.testkit.ts'

const scale = [
  [4, 0],
  [20, 10],
]
const PINS: readonly NamedPin[] = [
  { slot: 3, pin: 1, name: 'pump', unit: 'bar', from: 'current', scale },
  { slot: 3, pin: 2, name: 'Oil level' },
  { slot: 5, pin: 6, name: 'door' },
  {
    slot: 5,
    pin: 1,
    name: 'tank',
    unit: '%',
    from: 'voltage',
    scale: scale.map(([volts = 0, quantity = 0]) => [volts * 250, quantity]),
  },
]
let twin: Twin
let url: string

beforeAll(async () => {
  twin = await createTwin({ pins: () => PINS })
  url = await twin.listen()
  await twin.start()
  // 10 mA at 12 V, and 2 mA of the switching transistor.
  twin.bench.pin(3, 1).connect(resistor({ ohms: 1200 }))
  twin.bench.pin(5, 1).connect(source(3))
  await slotwire('set 3/1 high --power 12V/50mA --yes')
})
afterAll(() => twin.close())

const slotwire = (line: string) => runInProcess(...line.split(' ').map((word) => word.replace('_', ' ')), '--url', url)

it.each([
  ['set PUMP high --power 12V/50mA --yes', 'Pin 3/1: high.\n'],
  ['mode Oil_Level digital', 'Pin 3/2: digital input.\n'],
  ['interrupt oil_level --trigger rising', 'Pin 3/2: interrupt rising, debounce 20 ms.\n'],
  ['counter oil_level enabled', 'Pin 3/2: counter enabled.\n'],
  ['threshold tank 1V', 'Pin 5/1: threshold 1000 mV rising.\n'],
  ['pwm oil_level 1kHz 25% --power 5V/50mA --keep', 'Pin 3/2: pwm with prescaler 0, time_on 12000, period 48000.\n'],
])('%s takes the name of a pin, in any case', async (line, said) => {
  await slotwire('mode 3/2 digital')
  expect(await slotwire(line)).toEqual({ code: 0, output: '', errors: said })
})

it.each([
  ['get tank', /^PIN +MODE.* NAME +QUANTITY\n5\/1 +analog .* tank +5 %\n$/],
  ['get 5/1 --csv', /^pin,mode,value,unit,current_ma,power,name,quantity,quantity_unit\n5\/1,analog,3000,mV,0,,tank,5,%\n$/],
  ['get pump', /^3\/1 +output high +\d+ +mV +12 +12V\/50mA +pump +5 bar$/m],
  [
    'get 3 --json',
    /"name":"pump","quantity":5,"quantity_unit":"bar"\},\{"pin":"3\/2",[^}]*"name":"Oil level"\},\{"pin":"3\/3","mode":"analog","value":0,"unit":"mV","current_ma":0,"power":"12V\/0mA"\}/,
  ],
  ['get 5/2', /^PIN +MODE +VALUE +UNIT +CURRENT MA +POWER\n/],
  ['watch tank --count 1', /Z {2}5\/1 {2}3000 {2}mV {2}tank {2}5 %\n$/],
  ['watch 3/1 --count 1 --json', /"pin":"3\/1","value":12,"unit":"mA","name":"pump","quantity":5,"quantity_unit":"bar"\}\n$/],
  ['watch 5/2 --count 1 --csv', /,5\/2,\d+,mV\n$/],
  ['devices --complete pins', /5\/6\npump\ndoor\ntank\n$/],
])('%s prints the name of a pin, and its quantity', async (line, expected) =>
  expect(await slotwire(line)).toMatchObject({ code: 0, output: expect.stringMatching(expected) as unknown }),
)

it('alerts prints the name of a pin', async () => {
  await slotwire('threshold door 1V')
  const printed = slotwire('alerts Door --count 1')
  const wired = twin.bench.pin(5, 6).connect(source(0))
  for (let isDone = false; !isDone; ) {
    wired.set({ volts: 5 })
    wired.set({ volts: 0 })
    isDone = await Promise.race([printed.then(() => true), twin.clock.sleep(50).then(() => false)])
  }
  expect(await printed).toMatchObject({ output: expect.stringMatching(/ {2}5\/6 {2}door {2}custom_voltage_alert\n$/) as unknown })
})

it.each([
  ['set pum high', 1, 'slotwire: no pin is named pum: there are pump, Oil level, door, tank\n'],
  ['get 9', 2, expect.stringContaining('slot is out of range: 0…7, not 9')],
  ['set 9/1 high', 2, expect.stringContaining('a pin as slot/pin, as in 3/1, not "9/1"')],
])('%s is refused', async (line, code, errors) => expect(await slotwire(line)).toMatchObject({ code, errors: errors as unknown }))
