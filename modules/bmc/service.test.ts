import { ModuleRefusal } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../packages/service/src/fake-slot.testkit.ts'
import { HandlerHarness } from '../../tests/device/handlers.testkit.ts'
import { bmcService } from './service.ts'
import { BmcStatus } from './wire.ts'

const success = { status: 'success' }
const bench = (script: Readonly<Record<string, unknown>> = {}) => new HandlerHarness(bmcService, script)
const none = 'not available'
const states = [none, none, 'enabled', 'disabled', 'enabled', 'enabled', 'enabled', 'enabled']

it('GET voltage rounds to whole millivolt', async () => {
  const microvolts = { rail1v8: 1_787_500, rtcBattery: 2_949_499 }
  const bmc = bench({ GET_VOLTAGE: ({ input }: { input: keyof typeof microvolts }) => ({ microvolt: microvolts[input] }) })
  expect(await bmc.call('getVoltage')).toEqual({ voltage_1v8: 1788, voltage_rtc: 2949 })
})

describe('GET temperature', () => {
  it('rounds to 0.001 °C', async () => {
    const microvolts = { ntc0: 1_650_000, ntc1: 1_700_000 }
    const bmc = bench({ GET_VOLTAGE: ({ input }: { input: keyof typeof microvolts }) => ({ microvolt: microvolts[input] }) })
    // 1.7 V: R = 1.6 V / 0.17 mA = 9411.765 Ω, 1/T = 1/298.15 + ln(0.9411765) / 3380, T = 299.759 K.
    expect(await bmc.call('getTemperature')).toEqual({ ntc_0: 25, ntc_1: 26.603 })
  })

  it('reports a module error if no thermistor gives that voltage', () =>
    expect(bench({ GET_VOLTAGE: { microvolt: 0 } }).call('getTemperature')).rejects.toMatchObject({ status: 500 }))
})

describe('the watchdog', () => {
  it('returns all values as one record', async () => {
    const bmc = bench({
      GET_TIMEOUT: { milliseconds: 5000 },
      GET_TIME_LEFT: { milliseconds: 4000 },
      GET_SHUTDOWN_TIMEOUT: { milliseconds: 60_000 },
      EMERGENCY_MODE_STATE: { emergency: true },
    })
    expect(await bmc.call('getWatchdog')).toEqual({
      timeout: 5000,
      timeout_left: 4000,
      shutdown_timeout: 60_000,
      emergency_mode: true,
    })
  })

  it('is disabled by timeout 0, and enabled by any other', async () => {
    const bmc = bench({ DISABLE_TIMEOUT: {}, ENABLE_TIMEOUT: {} })
    expect(await bmc.call('setWatchdog', { timeout: 0 })).toEqual(success)
    expect(await bmc.call('setWatchdog', { timeout: 1000 })).toEqual(success)
    expect(bmc.sent()).toEqual([
      ['DISABLE_TIMEOUT', {}],
      ['ENABLE_TIMEOUT', { milliseconds: 1000 }],
    ])
  })

  it('cannot be fed while it is off', async () => {
    const bmc = bench({ ALIVE: new Refused(BmcStatus.wrongState) })
    await expect(bmc.call('feedWatchdog')).rejects.toMatchObject({ status: 400, code: 'watchdog-off' })
  })
})

describe('the USB hub', () => {
  it('returns its states in the order of the specification', async () => {
    // Two neighbours never have the same state.
    const different = ['disabled', none, 'enabled', 'disabled', none, 'enabled', 'disabled', none]
    const bmc = bench({ GET_HUB_STATE: { state: 'enabled' }, GET_USB_SLOT_STATE: { states: different } })
    expect(Object.entries((await bmc.call('getUsbHub')) as object)).toEqual([
      ['hub_state', 'enabled'],
      ...different.map((state, slot) => [`port_slot_${slot}`, state]),
    ])
  })

  it('lists devices with their slots, nameless ones as Unknown', async () => {
    const bmc = bench({
      GET_HUB_STATE: { state: 'enabled' },
      GET_USB_SLOT_STATE: { states },
      GET_PORT_MAPPING: { ports: [0, 0, 4, 3, 2, 1, 6, 5] },
    })
    bmc.hostDevices = [
      {
        name: '1-1.3',
        systemPath: '/sys/devices/platform/usb/usb1/1-1/1-1.3',
        attributes: { manufacturer: '', product: 'Thing', serial: '' },
      },
    ]
    expect(await bmc.call('getUsbDevices')).toEqual({
      devices: [
        {
          slot: 2,
          usb_port: 4,
          manufacturer: 'Unknown',
          product: 'Thing',
          serial_code: '',
          system_path: '/sys/devices/platform/usb/usb1/1-1/1-1.3',
        },
      ],
    })
  })

  it.each([0, 1])('has no port in slot %i: no command is sent', async (number) => {
    const bmc = bench()
    await expect(bmc.call('setUsbSlot', { state: true }, { number })).rejects.toMatchObject({ code: 'usb-port-not-available' })
    expect(bmc.sent()).toEqual([])
  })

  it('refuses a port that the module reports as not available', async () => {
    const bmc = bench({ SET_USB_SLOT_STATE: new Refused(BmcStatus.wrongState) })
    await expect(bmc.call('setUsbSlot', { state: true }, { number: 2 })).rejects.toMatchObject({ code: 'usb-port-not-available' })
  })
})

it('POST usb_bootloader ignores the timeout when it disarms', async () => {
  const bmc = bench({ CTL_USBBOOT: {} })
  await bmc.call('setUsbBootloader', { enabled: true, timeout: 90_000 })
  await bmc.call('setUsbBootloader', { enabled: false, timeout: 99_999_999 })
  await bmc.call('setUsbBootloader', { enabled: false })
  expect(bmc.sent().map(([, request]) => request)).toEqual([
    { enabled: true, milliseconds: 90_000 },
    { enabled: false, milliseconds: 0 },
    { enabled: false, milliseconds: 0 },
  ])
})

describe('a command that saves', () => {
  it.each([
    ['saveWatchdog', 'SAVE_CONFIG', undefined],
    ['setShutdownTimeout', 'SET_SHUTDOWN_TIMEOUT', { timeout: 10_000 }],
    ['setUsbHub', 'SET_HUB_STATE', { state: false }],
    ['setUsbSlot', 'SET_USB_SLOT_STATE', { state: false }],
  ])('reports a storage that cannot be written as a module failure with its cause: %s', async (name, command, body) => {
    const bmc = bench({ [command]: new Refused(BmcStatus.failed) })
    await expect(bmc.call(name, body, { number: 4 })).rejects.toMatchObject({
      status: 500,
      code: 'saving-failed',
      cause: { command, status: BmcStatus.failed },
    })
  })

  it('passes other failures through unchanged', async () => {
    const bmc = bench({ ENABLE_TIMEOUT: new Refused(BmcStatus.failed) })
    await expect(bmc.call('setWatchdog', { timeout: 1000 })).rejects.toBeInstanceOf(ModuleRefusal)
  })
})

it('emergency mode is named for every command that the protected flash refuses', () => {
  const refusal = new ModuleRefusal('SAVE_CONFIG', BmcStatus.flashProtected, 'flash is protected')
  expect(bmcService.refusal?.(refusal)).toMatchObject({ status: 400, code: 'emergency-mode' })
})

it.each([
  ['setBuzzer', { mode: 2, duration: 500 }, ['MODE_BUZZER', { mode: 2, milliseconds: 500 }]],
  ['setShutdownTimeout', { timeout: 10_000 }, ['SET_SHUTDOWN_TIMEOUT', { milliseconds: 10_000 }]],
  ['startShutdown', { shutdown: 'start' }, ['SW_SHUTDOWN', {}]],
  ['feedWatchdog', undefined, ['ALIVE', {}]],
  ['saveWatchdog', undefined, ['SAVE_CONFIG', {}]],
  ['setUsbHub', { state: false }, ['SET_HUB_STATE', { enabled: false }]],
  ['resetUsbHub', { reset: 'yes' }, ['HUB_RESET', {}]],
  ['hardReset', { reset: 'yes' }, ['SYSTEM_RESET', {}]],
] as const)('commands without an answer of their own %s', async (name, body, sent) => {
  const bmc = bench({ [sent[0]]: {} })
  expect(await bmc.call(name, body)).toEqual(success)
  expect(bmc.sent()).toEqual([sent])
})
