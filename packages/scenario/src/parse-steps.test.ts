import { describe, expect, it } from 'vitest'
import { mistakesIn } from './mistakes.testkit.ts'

const ELEMENTS =
  'button, capacitor, coil, current_source, diode, encoder, led, motor, noise, ntc, open, potentiometer, pt100, recorded_wave, relay, resistor, short, sine_wave, source, square_wave, triangle_wave, zener'
const FAULTS =
  'bootloader, corrupt_storage, crc_errors, duplicated_frames, endless_wait, full_storage, garbage, hang, late_frames, lost_frames, memory_loss, reboot, wrong_class'
const STEPS =
  'connect, wire, short, disconnect, set, press, plug, unplug, ambient, computer, rail, usb_attach, usb_detach, usb_host, fault, break, clear_faults, factory_reset, restart, kill_service, start_service, request, repeat, wait, expect'

/** A step in line 2, and the reported mistakes. */
const table: readonly (readonly [step: string, ...expected: string[]])[] = [
  ['connnect: { pin: 3/1, to: short }', '2:5 there is no step connnect, did you mean connect?'],
  ['jump: 3/1', `2:5 there is no step jump: ${STEPS}`],
  ['connect: { pni: 3/1, to: short }', '2:16 pni is unknown: did you mean pin?'],
  ['connect: { pin: 3/7, to: short }', '2:21 pin is not allowed: a pin as slot/pin, as in 3/1, not "3/7"'],
  ['connect: { pin: 9/1, to: short }', '2:21 pin is not allowed: a pin as slot/pin, as in 3/1, not "9/1"'],
  ['connect: { pin: 31, to: short }', '2:21 pin is not allowed: a pin as slot/pin, as in 3/1, not "31"'],
  [
    'connect: { pin: 3/1 }',
    '2:14 to is missing: an object with button, capacitor, coil, current_source, diode, encoder, led, motor, noise, ntc, open, potentiometer, pt100, recorded_wave, relay, resistor, short, sine_wave, source, square_wave, triangle_wave and zener',
  ],
  ['connect: 3/1', '2:14 connect is 3/1: write connect: { pin: …, to: … }'],
  ['connect:', '2:5 connect is nothing: write connect: { pin: …, to: … }'],
  ['connect: { pin: 3/1, to: { source: 24V, ohms: 10s } }', '2:51 to.source.ohms must be a number, not "10s": 0…1000000000 Ω'],
  ['connect: { pin: 3/1, to: { source: 24V, ohm: 10k } }', '2:45 to.source.ohm is unknown: did you mean ohms?'],
  ['connect: { pin: 3/1, to: { source: 2400V } }', '2:40 to.source.volts is out of range: -1000…1000 V, not 2400'],
  ['connect: { pin: 3/1, to: { source: } }', '2:32 to.source.volts is missing: a number from -1000 to 1000 V'],
  ['connect: { pin: 3/1, to: { sorce: 24V } }', `2:32 there is no kind sorce, did you mean source? There are ${ELEMENTS}`],
  ['connect: { pin: 3/1, to: { } }', `2:30 to needs a kind: one of ${ELEMENTS}`],
  ['connect: { pin: 3/1, to: { source: 24V, resistor: 10k } }', '2:45 source and resistor are two kinds: write a step for each'],
  [
    'connect: { pin: 3/1, to: { square_wave: 100Hz, high_volts: 5V } }',
    '2:45 to.square_wave.low_volts is missing: a number from -1000 to 1000 V, or give amplitude_volts',
  ],
  [
    'connect: { pin: 3/1, to: { noise: 100Hz, low_volts: 5V, high_volts: 0V } }',
    '2:14 connect: low_volts is 5, above high_volts, 0: swap them',
  ],
  [
    'connect: { pin: 3/1, to: { sine_wave: 100Hz, low_volts: 5V, high_volts: 0V } }',
    '2:14 connect: low_volts is 5, above high_volts, 0: swap them, and turn it with phase_degrees',
  ],
  [
    'connect: { pin: 3/1, to: { square_wave: 100Hz, amplitude_volts: 5V, low_volts: 0V, high_volts: 1 } }',
    '2:45 to.square_wave.low_volts and amplitude_volts exclude each other: give low_volts and high_volts, or amplitude_volts',
  ],
  ['connect: { pin: 3/1, to: { button: 5V } }', '2:40 button is 5V: write button: { … }'],
  ['connect: { pin: 3/1, to: { capacitor: 1uF }, other: 3/1 }', '2:14 connect: other is pin 3/1 itself: name another pin'],
  [
    'connect: { pin: 3/1, to: { potentiometer: 10k, high_volts: 5V }, other: 3/2 }',
    '2:14 connect: potentiometer cannot be between two pins: leave out other',
  ],
  [
    'connect: { pin: 3/1, to: { resistor: 1k, volts: 5V }, other: 3/2 }',
    '2:14 connect: volts is 5, but the other end is a pin: 0 or omitted',
  ],
  ['connect: { pin: 3/1, to: { relay: 120 } }', '2:14 connect: relay needs contact: the two pins that it connects'],
  ['connect: { pin: 3/1, to: { diode: 0.7V }, contact: [3/2, 3/3] }', '2:14 connect: diode has no contact: leave out contact'],
  ['connect: { pin: 3/1, to: { relay: 120 }, contact: 3/2 }', '2:55 contact needs two pins: write [3/1, 3/2]'],
  ['connect: { pin: 3/1, to: { encoder: 300 } }', '2:14 connect: encoder needs other: the pin of its second output'],
  [
    'connect: { pin: 3/1, to: { relay: 120, pull_in_volts: 2V, release_volts: 3V }, contact: [3/2, 3/3] }',
    '2:14 connect: release_volts is 3, not below pull_in_volts, 2: lower it',
  ],
  [
    'connect: { pin: 3/1, to: { recorded_wave: { csv_file: level.csv } } }',
    '2:59 to.recorded_wave.csv_file: this scenario is not in a folder: write its text with to.recorded_wave.csv',
  ],
  [
    'connect: { pin: 3/1, to: { recorded_wave: { csv: "0,1" } } }',
    '2:14 connect: csv has 1 samples: 2…10000, one in each line, as in 0.5,3.3',
  ],
  [
    'connect: { pin: 3/1, to: [short] }',
    '2:30 to is a list: write an element with its settings, as in { source: 24V, ohms: 10k }',
  ],
  [
    'connect: { pin: 3/1, to: { source: 24V }, as: 1x }',
    '2:51 as is not allowed: a name: letters, digits, - and _, at most 64, not "1x"',
  ],
  ['at: 5V\n    short: 3/1', '2:9 at must be a number, not "5V": 0 ms to 720 h'],
  ['at: 5\n    short: 3/1', '2:9 at needs a unit: write 5s or 5ms'],
  ['at: -5s\n    short: 3/1', '2:9 at is out of range: 0 ms to 720 h, not "-5s"'],
  ['at: 5mo\n    short: 3/1', '2:9 at must be a number, not "5mo": 0 ms to 720 h'],
  ['at:\n    short: 3/1', '2:8 at is missing: a time with its unit, as in 20ms, 2s, 5min, 1h'],
  ['at: 1s\n    after: 1s\n    short: 3/1', '3:5 at and after exclude each other: write one of them'],
  ['at: 1s', `2:5 this step does nothing: write an action, one of ${STEPS}`],
  ['short: 3/1\n    unplug: 5', '3:5 short and unplug are two actions: write a step for each'],
  ['short: 3/1\n    shor: 5', '3:5 a step has no shor, did you mean short?'],
  ['short: 3/1\n    short: 3/2', '3:5 short is there twice, first in line 2: remove one'],
  ['wire: 3/1', '2:11 pins needs two pins: write [3/1, 3/2]'],
  ['wire: [3/1, 3/1]', '2:11 wire: pins is pin 3/1 twice: name two pins'],
  ['wire: [3/1, 3/9]', '2:17 pins[1] is not allowed: a pin as slot/pin, as in 3/1, not "3/9"'],
  ['disconnect: sensor', '2:17 of: no connection is named sensor: no step above names one: write connect: { …, as: sensor }'],
  ['set: { of: 3/1 }', '2:10 set: it changes nothing: write a setting and its value, as in { of: 3/1, volts: 12V }'],
  ['set: 3/1', '2:10 set: it changes nothing: write a setting and its value, as in { of: 3/1, volts: 12V }'],
  ['set: { volts: 3V }', '2:10 of is missing: a pin as slot/pin, or the name of a connection, or give slot'],
  ['set: { slot: 3, volts: 3 }', '2:21 volts is unknown: allowed: slot'],
  ['set: { of: 3/1, volt: 3 }', '2:21 volt is unknown: did you mean volts?'],
  ['set: { of: 3/1, volts: 3Hz }', '2:28 volts must be a number, not "3Hz": -1000…1000 V'],
  ['press: { of: 3/1, slot: 0 }', '2:12 of and slot exclude each other: give of, or slot and action'],
  ['press: { slot: 0 }', '2:12 action is missing: shutdown_switch, or give of'],
  ['plug: { slot: 3, module: oi }', '2:30 module is not allowed: bmc, io or power, not "oi"; did you mean io?'],
  ['unplug: 8', '2:13 slot is out of range: 0…7, not 8'],
  ['ambient: 400C', '2:14 celsius is out of range: -40…125 °C, not 400'],
  ['ambient: hot', '2:14 celsius must be a number, not "hot": -40…125 °C'],
  ['rail: { rail: 12V, load_milliampere: 1A }', '2:19 rail is not allowed: 3v3, 5v0 or 12v, not "12V"; did you mean 12v?'],
  ['rail: { rail: 12v }', '2:11 load_milliampere is missing: a number from 0 to 20000 mA, or give offset_millivolt'],
  ['usb_host: yes', '2:15 connected must be true or false, not "yes"'],
  ['fault: { slot: 3, crc_errors: 130% }', '2:35 crc_errors.share is out of range: 0…1, not 1.3'],
  ['fault: { slot: 3, crc_eror: 30% }', `2:23 there is no kind crc_eror, did you mean crc_errors? There are ${FAULTS}`],
  ['fault: { slot: 3 }', `2:12 fault needs a kind: one of ${FAULTS}`],
  ['fault: { slot: 3, late_frames: 30V, share: 0.5 }', '2:36 late_frames.delay_ms must be a number, not "30V": 0.001…60000 ms'],
  ['fault: { slot: 3, hang: 30% }', '2:29 hang is 30%: write hang:'],
  [
    'fault: { crc_errors: 30%, for: 10 }',
    '2:12 slot is missing: an integer from 0 to 7',
    '2:36 for needs a unit: write 10s or 10ms',
  ],
  ['fault: { slot: 3, reboot, for: 1s }', '2:12 for_ms and reboot exclude each other: give one of them'],
  ['fault: { slot: 3, hang, for: 240h }', '2:34 for is out of range: 1 ms to 168 h, not "240h"'],
  ['press: { of: 3/1, for: 2h }', '2:28 for is out of range: 0.001…3600000 ms, not "2h"'],
  ['kill_service: { for: 721h }', '2:26 for is out of range: 0 ms to 720 h, not "721h"'],
  [`usb_attach: { slot: 3, product: ${'x'.repeat(127)} }`, '2:37 product is too long: at most 126 characters'],
  [
    'clear_faults: everything',
    '2:19 of: no fault is named everything: no step above names one: write fault: { …, as: everything }',
  ],
  ['restart: true', '2:14 restart is true: write restart:'],
  ['short: 3/1\n    sleep: 1s', '3:5 there is no step sleep: write after: 1s in the step that follows'],
  ['request: { get: /io/3/input/values }', '2:21 get is /io/3/input/values: write io/3/input/values'],
  ['expect: { pin: 3/1, volts: 4.9-5.1 }', '2:32 volts: 4.9-5.1 is not a range: write 4.9..5.1'],
  ['expect: { pin: 3/1, volts: 4.9V to 5.1V }', '2:32 volts: 4.9V to 5.1V is not a range: write 4.9V..5.1V'],
  ['expect: { notification: 3/2, custom_alert: true }', '2:34 custom_alert is unknown: did you mean custom_voltage_alert?'],
  ['request: { get: io }', '2:21 get is not allowed: a path, as in io/3/input/values or /api/io/1.0/3/input/values, not "io"'],
  [
    'request: { get: /slotwire/docs/page.js }',
    '2:21 get is /slotwire/docs/page.js, which is not part of the API: files take a different time in every run, so write a path of /api/…, /slotwire/bench/…, /slotwire/livez, readyz, metrics, state or openapi.json',
  ],
  ['request: { get: io/3/input/valuse }', '2:14 io has no input/valuse: did you mean input/values?'],
  ['expect: { get: oi/3/input/values }', '2:13 there is no service oi: did you mean io?'],
  ['request: { body: {} }', '2:14 request needs get or post, one of them: { get: io/3/input/values }'],
  [
    'request: { get: io/3/input/values, post: io/3/reset }',
    '2:14 request needs get or post, one of them: { get: io/3/input/values }',
  ],
  ['request: { get: io/3/input/values, body: {} }', '2:14 request has a body, but get sends none: write post'],
  [
    'request: { get: io/3/input/values, status: 2000 }',
    '2:48 status is not allowed: a status, as in 200, or any, or none for no answer at all, not "2000"',
  ],
  ['request: { get: io/3/input/values, as: x }', '2:14 as names an answer that is awaited later: write wait: false, too'],
  [
    'request: { get: io/3/input/values, as: x, wait: false, status: 500 }',
    '2:14 what x answers is checked where it is awaited: write expect: { answer: x, status: … }',
  ],
  ['expect: { answer: x }', '2:23 answer: no request above is named x: write request: { …, as: name, wait: false }'],
  ['expect: 3/1', '2:13 expect is 3/1: write what is expected, as in { notification: 3/2, high_current_alert: true }'],
  [
    'expect: { }',
    '2:13 expect is empty: write one of get, notification, event, pin, session, observe, answer, as in { notification: 3/2, high_current_alert: true }',
  ],
  [
    'expect: { sesion: 3, is: new }',
    '2:15 expect has no subject: sesion is not one of get, notification, event, pin, session, observe, answer, did you mean session?',
  ],
  [
    'expect: { notification: 3/2, high_curent_alert: true }',
    '2:34 high_curent_alert is unknown: did you mean high_current_alert?',
  ],
  ['expect: { pin: 3/1 }', '2:13 expect pin needs volts or milliampere: { pin: 3/1, volts: 4.9..5.2 }'],
  ['expect: { pin: 3/1, volts: 5..4 }', '2:32 volts: 5..4 is an empty range: write the lower value first'],
  [
    'expect: { pin: 3/1, volts: 3.2..3.4..9 }',
    '2:32 volts: 3.2..3.4..9 has more than two ends: write two values, as in 4.9..5.2',
  ],
  ['expect: { pin: 3/1, volts: 3..4A }', '2:32 volts must be a number, not "4A": in V'],
  ['expect: { pin: 3/1, volts: ".." }', '2:32 volts must be a number, not "..": in V'],
  ['expect: { pin: 3/1, volts: ">" }', '2:32 volts must be a number, not ">": in V'],
  ['expect: { pin: 3/1, volts: 5A }', '2:32 volts must be a number, not "5A": in V'],
  [
    'expect: { pin: 3/1, volts: }',
    '2:32 volts is missing: a number (tolerance 0.01 V), or a range, as in 4.9..5.2, 10.., ..10, ">= 10"',
  ],
  ['expect: { session: 3, is: renewed }', '2:31 is is not allowed: same, new, gone or present, not "renewed"'],
  ['expect: { get: io/3/x, body: { a: 5..4 } }', '2:39 5..4 is an empty range: write the lower value first'],
  ['expect: { get: io/3/x, body: { a: 1..2..3 } }', '2:39 1..2..3 has more than two ends: write two values, as in 4.9..5.2'],
  ['expect: { get: io/3/x, within: 5 }', '2:36 within needs a unit: write 5s or 5ms'],
  ['wait: 5s', '2:11 wait is 5s: write after: 5s in the step that follows, or wait: { pin: 3/1, volts: 4.., within: 2s }'],
  ['wait: { pin: 3/1, volts: 4.. }', '2:11 within is missing: a time with its unit, as in 20ms, 2s, 5min, 1h'],
  ['wait: { pin: 3/1, volts: 4.., within: 0 }', '2:43 within is out of range: 0.001 ms to 720 h, not "0"'],
  ['wait: { pin: 3/1, volts: 4.., within: 44000min }', '2:43 within is out of range: 0.001 ms to 720 h, not "44000min"'],
  ['wait: { pin: 3/1, within: 1s }', '2:11 expect pin needs volts or milliampere: { pin: 3/1, volts: 4.9..5.2 }'],
  [
    'wait: { volts: 4, within: 1s }',
    '2:13 wait has no subject: volts is not one of get, notification, event, pin, session, observe, answer',
  ],
  [
    'wait: [{ pin: 3/1, volts: 4, within: 1s }]',
    '2:11 wait is a list: write what is expected, as in { pin: 3/1, volts: 4.., within: 2s }',
  ],
  ['repeat: 3', '2:13 repeat is 3: write repeat: { times: …, steps: … }'],
  ['repeat: { times: 3 }', '2:13 steps is missing: a list of steps, each beginning with -'],
  ['repeat: { steps: [{ short: 3/1 }] }', '2:13 times is missing: a whole number, 1…10000'],
  ['repeat: { times: 0, steps: [{ short: 3/1 }] }', '2:22 times is out of range: 1…10000, not 0'],
  ['repeat: { times: 1k, steps: [{ short: 3/1 }] }', '2:22 times must be an integer, not "1k": 1…10000'],
  ['repeat: { times: 2.5, steps: [{ short: 3/1 }] }', '2:22 times must be a whole number: 1…10000, not 2.5'],
  ['repeat: { times: 3, steps: [] }', '2:32 steps is an empty list: write a step, as in - short: 3/2'],
  ['repeat: { times: 3, steps: short }', '2:32 steps is short: write a list, each step beginning with -'],
  ['repeat: { times: 3, stesp: [{ short: 3/1 }] }', '2:25 stesp is unknown: did you mean steps?'],
  [
    'repeat: { times: 3, steps: [{ at: 1s, short: 3/1 }] }',
    '2:35 at cannot be in a repeat: write after, the time since the step before',
  ],
  [
    'repeat: { times: x, steps: [{ shrot: 3/1 }] }',
    '2:22 times must be an integer, not "x": 1…10000',
    '2:35 there is no step shrot, did you mean short?',
  ],
  [
    'repeat: { times: 5000, steps: [{ short: 3/1 }, { disconnect: 3/1 }] }',
    '2:5 there are 10001 steps: at most 10000, each item of an expect list counts as one, each step in a repeat as often as it runs',
  ],
  [
    `${'repeat: { times: 10000, steps: [{ '.repeat(5)}short: 3/1${' }] }'.repeat(5)}`,
    '2:5 there are too many steps: at most 10000, each item of an expect list counts as one, each step in a repeat as often as it runs',
  ],
  ['short: *a', '2:12 anchors and aliases (& and *) are not used here: write the value out'],
  ['short: &a 3/1', '2:15 anchors and aliases (& and *) are not used here: write the value out'],
  ['short: !!str 3/1', '2:18 tags (!) are not used here: write the value alone'],
  ['short: { <<: 3/1 }', '2:12 pin is missing: a pin as slot/pin, as in 3/1', '2:14 << is unknown: allowed: pin and as'],
  ['short: "3/1', '2:12 a quote is not closed: write it at both ends of the value'],
  [
    'short: [3/1',
    '2:12 a bracket or brace is not closed, or its lines are not indented: write [a, b] in one line, or - a in a line each',
  ],
  ['\tshort: 3/1', '2:4 a tab is used where spaces are needed: indent with spaces'],
  ['body: a: b', '2:11 a value contains a colon and a space: put the value in quotes'],
]

describe('parseScenario reports a mistake in the step', () => {
  it.each(table)('%s', (step, ...expected) => {
    expect(mistakesIn(`steps:\n  - ${step}\n`)).toEqual(expected)
  })
})
