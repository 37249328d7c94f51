import { describe, expect, it } from 'vitest'
import { mistakesIn } from '../mistakes.testkit.ts'
import { lampWorld, runAtLamp } from '../run/lamp-world.testkit.ts'
import { failuresOf, power, runText } from '../run/running.testkit.ts'

/** Failures of steps, one line each: `6: expected …; saw …`. */
async function failures(steps: string, header = ''): Promise<readonly string[]> {
  return failuresOf(await runText(`${header}\nsteps:\n${steps}`))
}

describe('connect, set, disconnect', () => {
  it('connect an element to a pin, change it and remove it, by pin or by name', async () => {
    const steps = `
  - connect: { pin: 3/1, to: { source: 24V, ohms: 10k } }
  - connect: { pin: 3/2, to: { source: 5V }, as: sensor }
  - expect: [{ pin: 3/1, volts: 23.7..23.8 }, { pin: 3/2, volts: 5 }]
  - set: { of: sensor, volts: 7V }
  - set: { of: 3/1, ohms: 0 }
  - expect: [{ pin: 3/1, volts: 24V }, { pin: 3/2, volts: 7 }]
  - disconnect: sensor
  - disconnect: 3/1
  - expect: [{ pin: 3/1, volts: 0 }, { pin: 3/2, volts: 0 }]`
    expect(await failures(steps)).toEqual([])
  })

  it('fail without an element, with several elements, and for an invalid value', async () => {
    const steps = `
  - disconnect: 3/1
  - set: { of: 3/1, volts: 5V }
  - connect: { pin: 3/1, to: { resistor: 10k } }
  - set: { of: 3/1, duty: 50% }
  - connect: { pin: 3/1, to: { source: 5V } }
  - set: { of: 3/1, volts: 5V }
  - press: 3/1`
    expect(await failures(steps)).toEqual([
      '4: expected the step to succeed; saw pin 3/1 has no connection',
      '5: expected the step to succeed; saw pin 3/1 has no element: it has nothing',
      '7: expected the step to succeed; saw duty is unknown: allowed: ohms and volts',
      '9: expected the step to succeed; saw pin 3/1 has several elements, resistor of 10000 Ω to 0 V, source of 5 V behind 0 Ω: give each a name with as, and use the name',
      '10: expected the step to succeed; saw pin 3/1 has no button: it has resistor of 10000 Ω to 0 V, source of 5 V behind 0 Ω',
    ])
  })
})

describe('set of a module', () => {
  it('changes settings of the module in a slot, within their bounds', async () => {
    const { failures: found, bench } = await runAtLamp(`
  - set: { slot: 2, probe1_celsius: 30 °C, is_wet: true }
  - set: { slot: 3, is_wet: false }`)
    expect(found).toEqual(['4: expected the step to succeed; saw slot 3 is empty: plug a module first'])
    expect(bench.slot(2).settings).toEqual({ probe1Celsius: 30, isWet: true })
  })

  it.each([
    ['probe1_celsius: 126C', '2:37 probe1_celsius is out of range: -40…125 °C, not 126'],
    ['is_wet: 5V', '2:29 is_wet must be true or false, not "5V"'],
    ['probe1_celsius: 5V', '2:37 probe1_celsius must be a number, not "5V": -40…125 °C'],
    ['prob_celsius: 5', '2:21 prob_celsius is unknown: did you mean probe1_celsius?'],
  ])('is checked against the settings of all module types when parsing: %s', (setting, mistake) => {
    expect(mistakesIn(`steps:\n  - set: { slot: 2, ${setting} }`, lampWorld().catalog)).toEqual([mistake])
  })
})

describe('wire and short', () => {
  it('join pins to one node, and connect one to ground', async () => {
    const steps = `
  - wire: [3/1, 3/2]
  - connect: { pin: 3/1, to: { source: 12V, ohms: 1k } }
  - expect: { pin: 3/2, volts: 11.9..12 }
  - short: { pin: 3/2, as: bridge }
  - expect: { pin: 3/1, volts: 0 }
  - disconnect: bridge
  - expect: { pin: 3/1, volts: 11.9..12 }`
    expect(await failures(steps)).toEqual([])
  })
})

describe('press', () => {
  it('holds a button down for a duration', async () => {
    const steps = `
  - connect: { pin: 3/1, to: { button: { volts: 5V, bounces: 3 } } }
  - at: 1s
    press: { of: 3/1, for: 200ms }
  - at: 1100ms
    expect: { pin: 3/1, volts: 5 }
  - at: 1300ms
    expect: { pin: 3/1, volts: 0 }`
    expect(await failures(steps)).toEqual([])
  })

  it('presses a button of a module, and lists them if the name is wrong', async () => {
    const steps = `
  - request: { post: bmc/0/watchdog/sw_shutdown_timeout, body: { timeout: 10000 } }
  - press: { slot: 0, action: shutdown_switch }
  - press: { slot: 3, action: shutdown_switch }
  - expect: { session: driver, is: same }
  - after: 20s
    expect: { session: driver, is: new }`
    expect(await failures(steps)).toEqual([
      '6: expected the step to succeed; saw action is not allowed: the module in this slot has none',
    ])
  })
})

describe('plug and unplug', () => {
  it('remove a module and add one, with a new session', async () => {
    const steps = `
  - unplug: 5
  - expect: { session: 5, is: gone, within: 1s }
  - expect: { get: io/5/input/values, status: 404 }
  - plug: { slot: 5, module: io }
  - expect: { session: 5, is: new, within: 1s }
  - expect: { session: 3, is: same }
  - plug: { slot: 5, module: io }`
    expect(await failures(steps)).toEqual(['10: expected the step to succeed; saw slot 5 holds io already: unplug it first'])
  })
})

describe('ambient, computer, rail', () => {
  it('change the values of the sensors and the supply', async () => {
    const steps = `
  - ambient: 60C
  - computer: 20W
  - rail: { rail: 5v0, load_milliampere: 1A, offset_millivolt: -50mV }
  - at: 10min
    expect: { get: bmc/0/temperature, body: { ntc_0: 60.., ntc_1: 55..125 } }
  - expect: { get: power/1/stats, body: { current_5v0: 1000..3000, voltage_5v0: 4608..5100 } }`
    expect(await failures(steps)).toEqual([])
  })
})

describe('usb_attach, usb_detach, usb_host', () => {
  it('change the devices of the hub', async () => {
    const steps = `
  - usb_detach: 4
  - expect: { get: bmc/0/usbhub/devices, body: { devices: [] }, within: 1s }
  - usb_attach: { slot: 3, product: Camera, serial_code: C-1 }
  - expect: { get: bmc/0/usbhub/devices, body: { devices: [{ slot: 3, product: Camera, serial_code: C-1 }] }, within: 1s }
  - usb_host: true
  - usb_detach: 2`
    expect(await failures(steps)).toEqual([expect.stringMatching(/^9: expected the step to succeed; saw no device is on/)])
  })
})

describe('fault, clear_faults, break', () => {
  it('make a module hang until it is cleared, while others keep running', async () => {
    const steps = `
  - fault: { slot: 3, hang }
  - after: 5s
    expect: { get: io/3/input/values, status: any }
  - expect: { get: io/5/input/values }
  - clear_faults: 3
  - expect: { session: 3, is: new, within: 5s }
  - fault: { slot: 3, late_frames: 5ms, share: 100%, for: 2s }
  - fault: { slot: 3, crc_errors: { share: 10% }, for: 2s }
  - after: 3s
    expect: { get: io/3/input/values, within: 2s }
  - fault: { slot: 5, hang, as: stuck }
  - clear_faults: stuck
  - break: { slot: 1, defect: fan_blocked, for: 10s }
  - break: { slot: 3, defect: fan_blocked }`
    expect(await failures(steps)).toEqual([
      '17: expected the step to succeed; saw defect is not allowed: the module in this slot has none',
    ])
  })

  it('fail to reboot an empty slot, but affect its storage and its wires', async () => {
    const steps = `
  - fault: { slot: 7, reboot }
  - fault: { slot: 7, memory_loss }
  - fault: { slot: 7, hang, for: 1s }
  - plug: { slot: 7, module: io }
  - fault: { slot: 7, reboot }`
    expect(await failures(steps)).toEqual(['4: expected the step to succeed; saw slot 7 is empty: plug a module first'])
  })
})

describe('values at the bounds', () => {
  it('pass the parser and can be executed', async () => {
    const text = 'x'.repeat(126)
    const steps = `
  - ambient: -40
  - ambient: 125
  - computer: 50
  - rail: { rail: 12v, load_milliampere: 20A, offset_millivolt: -15V }
  - rail: { rail: 12v, load_milliampere: 0, offset_millivolt: 15V }
  - usb_attach: { slot: 3, manufacturer: ${text}, product: ${text}, serial_code: ${text} }
  - fault: { slot: 7, hang, for: 168h }
  - break: { slot: 1, defect: fan_blocked, for: 1ms }
  - plug: { slot: 7, module: io }
  - connect: { pin: 7/6, to: { button: { } }, as: top }
  - press: { of: top, for: 1us }
  - press: { of: top, for: 1h }`
    expect(await failures(steps)).toEqual([])
  })
})

describe('factory_reset and restart', () => {
  it('erase the saved state of a module, and restart the device', async () => {
    const steps = `
  - request: { post: bmc/0/watchdog/sw_shutdown_timeout, body: { timeout: 20000 } }
  - expect: { get: bmc/0/watchdog, body: { shutdown_timeout: 20000 } }
  - factory_reset: 0
  - expect: { get: bmc/0/watchdog, body: { shutdown_timeout: not 20000 }, within: 5s }
  - restart:
  - after: 100ms
    expect: { get: io/3/input/values, status: 502 }
  - expect: [{ session: driver, is: new, within: 10s }, { session: 3, is: new, within: 5s }]`
    expect(await failures(steps)).toEqual([])
  })
})

describe('kill_service and start_service', () => {
  it('end the service and start it again', async () => {
    const steps = `
  - kill_service:
  - expect: { get: io/3/input/values, status: none }
  - request: { get: io/3/input/values, status: none }
  - after: 1s
    start_service:
  - expect: { session: driver, is: new }
  - kill_service: { for: 2s }
  - expect: { get: io/3/input/values, status: none }
  - after: 3s
    expect: { get: io/3/input/values }
  - start_service:
  - kill_service:
  - kill_service:`
    expect(await failures(steps)).toEqual([
      '14: expected the step to succeed; saw the service is already running: kill_service ends it',
      '16: expected the step to succeed; saw the service is not running: start_service starts it',
    ])
  })
})

describe('request', () => {
  it('writes, reads, and compares status and answer', async () => {
    const steps = `${power(5)}
  - request: { post: io/5/output/state, body: { pin: 1, state: high }, answer: { status: success } }
  - request: { get: io/5/input/values, headers: { cache-control: no-cache }, answer: { pins: [{ pin: 1, value: 5000..5200 }] } }
  - request: { post: /api/io/1.0/5/output/state, body: { pin: 9, state: high }, status: 422 }
  - request: { post: io/5/output/state, body: { pin: 3, state: high } }
  - request: { get: io/5/descriptor, status: 400 }
  - request: { get: io/5/descriptor, answer: { slot_number: 4 } }`
    expect(await failures(steps)).toEqual([
      expect.stringMatching(/^8: expected io\/5\/output\/state to answer status 200; saw 400 \{"status":"error","code":400,/),
      expect.stringMatching(/^9: expected io\/5\/descriptor to answer status 400; saw 200 /),
      '10: expected io/5/descriptor to answer slot_number 4; saw 5',
    ])
  })

  it('takes no twin time if the answer comes from memory', async () => {
    const paths = ['livez', 'readyz', 'metrics', 'openapi.json', 'bench'].map((name) => `/slotwire/${name}`)
    const steps = [...paths, '/api/io/1.0/', 'io/5/nowhere'].map(
      (path) => `
  - at: 1s
    request: { get: ${path}, status: any }`,
    )
    const result = await runText(
      `steps:\n  - connect: { pin: 3/1, to: { square_wave: 1kHz, low_volts: 0, high_volts: 5 } }${steps.join('')}`,
    )
    expect(failuresOf(result)).toEqual([])
    expect(result.steps.slice(1).map(({ beganMs, endedMs }) => [beganMs, endedMs])).toEqual(steps.map(() => [1000, 1000]))
  })

  it('refuses paths of files, also with dots', () => {
    const hidden = [
      '/slotwire/docs',
      '/slotwire/docs/page.js',
      '/',
      '/slotwire/bench/../docs',
      'io/../../../slotwire/docs/page.css',
    ]
    for (const path of [...hidden, '/api/%2e%2e/slotwire/docs', '/slotwire/metrics/../docs', '//slotwire/docs'])
      expect(mistakesIn(`steps:\n  - request: { get: ${path} }`)).toEqual([expect.stringMatching(/^2:21 .*not part of the API/)])
  })

  it('runs in the background; its answer is awaited by name or checked at the end', async () => {
    const steps = `
  - fault: { slot: 3, late_frames: 200ms }
  - request: { get: io/3/input/values, wait: false, as: slow }
  - request: { get: io/3/nothing, wait: false }
  - request: { get: io/5/input/values, wait: false }
  - expect: { get: io/5/input/values }
  - expect: { answer: slow, status: 404 }
  - expect: { answer: slow, body: { pins: { count: 6 } } }`
    const result = await runText(`steps:\n${steps}`)
    expect(failuresOf(result)).toEqual([
      expect.stringMatching(/^5: expected io\/3\/nothing to answer status 200; saw 404/),
      expect.stringMatching(/^8: expected answer slow status: 404; saw 200/),
    ])
    expect(result.steps.map(({ state }) => state)).toEqual(['passed', 'passed', 'failed', 'passed', 'passed', 'failed', 'passed'])
    expect(result.steps[5]?.endedMs).toBeGreaterThanOrEqual(200)
  })

  it('is checked at the end if no expectation names it', async () => {
    const steps = `
  - fault: { slot: 3, late_frames: 200ms }
  - request: { get: io/3/nothing, wait: false, as: lost }
  - request: { get: io/3/input/values, wait: false, as: found }
  - request: { get: io/5/nothing, wait: false, as: seen }
  - expect: { answer: seen, status: 404 }`
    const result = await runText(`steps:\n${steps}`)
    expect(failuresOf(result)).toEqual([expect.stringMatching(/^4: expected io\/3\/nothing to answer status 200; saw 404/)])
    expect(result.steps.map(({ state }) => state)).toEqual(['passed', 'failed', 'passed', 'passed', 'passed'])
  })
})
