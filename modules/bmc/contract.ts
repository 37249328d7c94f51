import type { Contract, Endpoint, ValueOf } from '@slotwire/contract'
import { choice, constant, decimal, flag, integer, listOf, objectOf, rangeText, successSchema, text, unsigned } from '@slotwire/contract'
import { bmcErrors } from './errors.ts'
import { bmcLimits, BOOTLOADER_WINDOW_MS, SLOT_COUNT } from './limits.ts'
import { checkUsbBootloader, checkWatchdogTimeout } from './rules.ts'

const millivolt = unsigned({ unit: 'mV' })
const resetBody = objectOf({ reset: constant('yes') })

const getVoltage = {
  method: 'GET',
  path: '/voltage',
  reply: objectOf({ voltage_1v8: millivolt, voltage_rtc: millivolt }),
  effect: 'read',
  caching: 'no-store',
  summary: 'Reads the voltages of the mainboard',
  errors: [],
  spec: 'BMC service; BMC resources, Voltage',
} as const satisfies Endpoint

const getTemperature = {
  method: 'GET',
  path: '/temperature',
  reply: objectOf({
    ntc_0: decimal({ unit: '°C', description: 'near the SoC' }),
    ntc_1: decimal({ unit: '°C', description: 'ambient, near the buzzer; typically lower' }),
  }),
  effect: 'read',
  caching: 'no-store',
  summary: 'Reads the temperatures of the mainboard',
  errors: [],
  spec: 'BMC service; BMC resources, Temperature',
} as const satisfies Endpoint

const setBuzzer = {
  method: 'POST',
  path: '/buzzer',
  body: objectOf({
    mode: integer({
      ...bmcLimits.buzzerMode,
      description: '0: internal sounds disabled; 1: internal sounds enabled; 2, 3, 4, 5: play sound 1, 2, 3, 4 for duration',
    }),
    duration: integer(bmcLimits.buzzerDurationMs),
  }),
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Plays a sound, or switches the internal sounds',
  errors: [],
  spec: 'BMC service, rules 1 and 2',
  example: { mode: 2, duration: 500 },
} as const satisfies Endpoint

const getWatchdog = {
  method: 'GET',
  path: '/watchdog',
  reply: objectOf({
    timeout: unsigned({ unit: 'ms', description: 'current setting; 0: disabled' }),
    timeout_left: unsigned({ unit: 'ms', description: 'until the device is reset; 0 while disabled' }),
    shutdown_timeout: unsigned({ unit: 'ms', description: 'until the device is reset after a shutdown was initiated' }),
    emergency_mode: flag({ description: 'the storage is corrupt: nothing can be saved' }),
  }),
  effect: 'read',
  caching: 'no-store',
  summary: 'Reads the watchdog',
  errors: [],
  spec: 'BMC service; BMC resources, Watchdog',
} as const satisfies Endpoint

const watchdogBody = objectOf({
  timeout: integer({
    ...bmcLimits.watchdogTimeoutMs,
    min: 0,
    description: `0: disabled; otherwise ${rangeText(bmcLimits.watchdogTimeoutMs)}`,
  }),
})

const setWatchdog = {
  method: 'POST',
  path: '/watchdog',
  body: watchdogBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Sets the timeout of the watchdog',
  description: 'When it expires the whole device is hard reset.',
  errors: [],
  spec: 'BMC service, rule 3; BMC watchdog',
  example: { timeout: 60_000 },
  check: (body: ValueOf<typeof watchdogBody>) => checkWatchdogTimeout(body),
} as const satisfies Endpoint

const setShutdownTimeout = {
  method: 'POST',
  path: '/watchdog/sw_shutdown_timeout',
  body: objectOf({ timeout: integer(bmcLimits.shutdownTimeoutMs) }),
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Saves how long a shutdown may take',
  description: 'The value is always stored persistently.',
  errors: [bmcErrors.emergencyMode],
  spec: 'BMC service, rule 4; BMC watchdog',
  example: { timeout: 60_000 },
} as const satisfies Endpoint

const startShutdown = {
  method: 'POST',
  path: '/watchdog/shutdown',
  body: objectOf({ shutdown: constant('start') }),
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Starts a shutdown',
  description: 'The same procedure as the hardware switch: the device resets after shutdown_timeout.',
  errors: [],
  spec: 'BMC service; BMC watchdog',
  example: { shutdown: 'start' },
} as const satisfies Endpoint

const feedWatchdog = {
  method: 'GET',
  path: '/watchdog/alive',
  reply: successSchema,
  effect: 'action',
  caching: 'no-store',
  summary: 'Restarts the counter of the watchdog',
  errors: [bmcErrors.watchdogOff],
  spec: 'BMC service; BMC watchdog',
} as const satisfies Endpoint

const saveWatchdog = {
  method: 'GET',
  path: '/watchdog/save',
  reply: successSchema,
  effect: 'action',
  caching: 'no-store',
  summary: 'Saves the timeout of the watchdog persistently',
  description: 'A saved timeout is in force again after a restart.',
  errors: [bmcErrors.emergencyMode],
  spec: 'BMC service; BMC watchdog',
} as const satisfies Endpoint

const usbState = choice(['enabled', 'disabled', 'not available'])

const getUsbHub = {
  method: 'GET',
  path: '/usbhub',
  reply: objectOf({
    hub_state: usbState,
    port_slot_0: usbState,
    port_slot_1: usbState,
    port_slot_2: usbState,
    port_slot_3: usbState,
    port_slot_4: usbState,
    port_slot_5: usbState,
    port_slot_6: usbState,
    port_slot_7: usbState,
  }),
  effect: 'read',
  caching: 'no-store',
  summary: 'Reads the state of the USB hub and its ports',
  description: 'What is applied, not what is saved.',
  errors: [],
  spec: 'BMC service; BMC resources, USB hub status',
} as const satisfies Endpoint

const getUsbDevices = {
  method: 'GET',
  path: '/usbhub/devices',
  reply: objectOf({
    devices: listOf(
      objectOf({
        slot: unsigned(),
        usb_port: unsigned({ description: 'physical port of the hub' }),
        manufacturer: text(),
        product: text(),
        serial_code: text(),
        system_path: text({ description: 'path of the device on the host' }),
      }),
    ),
  }),
  effect: 'read',
  caching: 'no-store',
  summary: 'Lists the USB devices and the slots that they are in',
  errors: [],
  spec: 'BMC service; BMC resources, USB hub device',
} as const satisfies Endpoint

const usbSettingBody = objectOf({ state: flag({ description: 'true: enabled' }) })

const setUsbHub = {
  method: 'POST',
  path: '/usbhub',
  body: usbSettingBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Enables or disables the USB hub',
  description: 'Saved at once, applied by usbhub/reset, reset or a restart.',
  errors: [bmcErrors.usbHubNotAvailable, bmcErrors.emergencyMode],
  spec: 'BMC service; BMC USB hub',
  example: { state: true },
} as const satisfies Endpoint

const setUsbSlot = {
  method: 'POST',
  path: '/usbhub/slot/{number}',
  parameters: {
    number: {
      min: 0,
      max: SLOT_COUNT - 1,
      description: `slot; those from ${bmcLimits.usbSlot.min} to ${bmcLimits.usbSlot.max} have USB`,
      example: 4,
    },
  },
  body: usbSettingBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: "Enables or disables a slot's USB port",
  description: 'Saved at once, applied by usbhub/reset, reset or a restart.',
  errors: [bmcErrors.usbPortNotAvailable, bmcErrors.emergencyMode],
  spec: 'BMC service; BMC USB hub',
  example: { state: true },
} as const satisfies Endpoint

const resetUsbHub = {
  method: 'POST',
  path: '/usbhub/reset',
  body: resetBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Applies the saved USB settings',
  description: 'Disconnects all USB devices.',
  errors: [],
  spec: 'BMC service; BMC USB hub',
  example: { reset: 'yes' },
} as const satisfies Endpoint

const usbBootloaderBody = objectOf(
  {
    enabled: flag({ description: 'true: armed' }),
    timeout: integer({
      unit: bmcLimits.usbBootloaderTimeoutMs.unit,
      description:
        `${rangeText(bmcLimits.usbBootloaderTimeoutMs)}: how long the mode may last once a host is connected, 0: until the host ` +
        'ends it. Ignored, and may be left out, when enabled is false',
    }),
  },
  { optional: ['timeout'] },
)

const setUsbBootloader = {
  method: 'POST',
  path: '/usb_bootloader',
  body: usbBootloaderBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Arms the USB bootloader of the computer',
  description: `Active after the next reset; without a host within ${BOOTLOADER_WINDOW_MS / 1000} s the device returns to normal.`,
  errors: [],
  spec: 'BMC service, rule 5; USB bootloader',
  example: { enabled: false, timeout: 0 },
  check: (body: ValueOf<typeof usbBootloaderBody>) => checkUsbBootloader(body),
} as const satisfies Endpoint

const hardReset = {
  method: 'POST',
  path: '/hard_reset',
  body: resetBody,
  reply: successSchema,
  effect: 'write',
  caching: 'no-store',
  summary: 'Resets the whole device',
  description: 'The request is answered first. Until the device is back its address answers 502; then all sessions are new.',
  errors: [],
  spec: 'BMC service',
  example: { reset: 'yes' },
} as const satisfies Endpoint

/** The bmc service: the mainboard controller; spec "BMC service". */
export const bmcContract = {
  service: 'bmc',
  serviceName: 'bmc-module',
  title: 'Mainboard controller',
  description: 'Voltages, temperatures, buzzer, watchdog, USB hub, bootloader and reset of the device.',
  exampleSlot: 0,
  endpoints: {
    getVoltage,
    getTemperature,
    setBuzzer,
    getWatchdog,
    setWatchdog,
    setShutdownTimeout,
    startShutdown,
    feedWatchdog,
    saveWatchdog,
    getUsbHub,
    getUsbDevices,
    setUsbHub,
    setUsbSlot,
    resetUsbHub,
    setUsbBootloader,
    hardReset,
  },
} as const satisfies Contract
