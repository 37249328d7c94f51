import {
  acts,
  boolean,
  type Contract,
  choice,
  decimal,
  integer,
  integerOrZero,
  listOf,
  literal,
  named,
  objectOf,
  reads,
  text,
  unsigned,
  when,
  writes,
} from '@slotwire/contract'
import { SLOT_COUNT } from '@slotwire/core'
import { bmcErrors } from './errors.ts'
import { BOOTLOADER_WINDOW_MS, bmcLimits } from './limits.ts'

/** A field for the USB port of each slot: `port_slot_0` to `port_slot_7`. Slots 0 and 1 never have USB (behaviour.md "bmc"). */
export function perSlot<Value>(of: (slot: number) => Value) {
  const fields = Array.from({ length: SLOT_COUNT }, (_, slot) => [`port_slot_${slot}`, of(slot)])
  return Object.fromEntries(fields) as Readonly<Record<`port_slot_${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7}`, Value>>
}

const millivolt = unsigned({ unit: 'mV' })
const resetBody = named('ResetRequest', objectOf({ reset: literal('yes') }))
/** Errors of every endpoint that saves. */
const savingErrors = [bmcErrors.emergencyMode, bmcErrors.savingFailed]

const usbState = named('UsbState', choice(['enabled', 'disabled', 'not available']))

const usbSettingBody = named('UsbSetting', objectOf({ state: boolean({ description: 'true: enabled' }) }))

const usbBootloaderBody = objectOf(
  {
    enabled: boolean({ description: 'true: armed' }),
    timeout: integer({
      ...bmcLimits.usbBootloaderTimeoutMs,
      description:
        'longest time of the mode with a connected host, 0: until the host ends it. Has no effect, and may be left out, when enabled is false',
    }),
  },
  {
    optional: ['timeout'],
    rules: {
      allOf: [when('enabled', true, { required: ['timeout'] })],
    },
  },
)

/** The bmc service: the mainboard controller; spec "BMC service". */
export const bmcContract = {
  service: 'bmc',
  serviceName: 'bmc-module',
  port: 8003,
  title: 'Mainboard controller',
  description: 'Voltages, temperatures, buzzer, watchdog, USB hub, bootloader and reset of the device.',
  defaultSlots: [0],
  endpoints: {
    getVoltage: {
      ...reads,
      path: '/voltage',
      reply: named('BmcVoltage', objectOf({ voltage_1v8: millivolt, voltage_rtc: millivolt })),
      summary: 'Reads the voltages of the mainboard',
      spec: 'BMC service; BMC resources, Voltage',
    },
    getTemperature: {
      ...reads,
      path: '/temperature',
      reply: named(
        'BmcTemperature',
        objectOf({
          ntc_0: decimal({ unit: '°C', description: 'near the SoC' }),
          ntc_1: decimal({ unit: '°C', description: 'ambient, near the buzzer; typically lower' }),
        }),
      ),
      summary: 'Reads the temperatures of the mainboard',
      spec: 'BMC service; BMC resources, Temperature',
    },
    setBuzzer: {
      ...writes,
      path: '/buzzer',
      body: objectOf({
        mode: integer({
          ...bmcLimits.buzzerMode,
          description: '0: internal sounds disabled; 1: internal sounds enabled; 2, 3, 4, 5: play sound 1, 2, 3, 4 for duration',
        }),
        duration: integer(bmcLimits.buzzerDurationMs),
      }),
      summary: 'Plays a sound, or switches the internal sounds',
      spec: 'BMC service, rules 1 and 2',
      example: { mode: 2, duration: 500 },
    },
    getWatchdog: {
      ...reads,
      path: '/watchdog',
      reply: named(
        'Watchdog',
        objectOf({
          timeout: unsigned({ unit: 'ms', description: 'current setting; 0: disabled' }),
          timeout_left: unsigned({ unit: 'ms', description: 'until the device is reset; 0 while disabled' }),
          shutdown_timeout: unsigned({ unit: 'ms', description: 'until the device is reset after a shutdown was initiated' }),
          emergency_mode: boolean({ description: 'the storage is corrupt: nothing can be saved' }),
        }),
      ),
      summary: 'Reads the watchdog',
      spec: 'BMC service; BMC resources, Watchdog',
    },
    setWatchdog: {
      ...writes,
      path: '/watchdog',
      body: objectOf({ timeout: integerOrZero({ ...bmcLimits.watchdogTimeoutMs, description: '0: disabled' }) }),
      summary: 'Sets the timeout of the watchdog',
      description: 'When it expires the whole device is hard reset.',
      danger: 'The whole device is hard reset, unless a client feeds the watchdog in time.',
      spec: 'BMC service, rule 3; BMC watchdog',
      example: { timeout: 60_000 },
    },
    setShutdownTimeout: {
      ...writes,
      path: '/watchdog/sw_shutdown_timeout',
      body: objectOf({ timeout: integer(bmcLimits.shutdownTimeoutMs) }),
      summary: 'Saves the longest time of a shutdown',
      description: 'The value is always stored persistently.',
      errors: savingErrors,
      spec: 'BMC service, rule 4; BMC watchdog',
      example: { timeout: 60_000 },
    },
    startShutdown: {
      ...writes,
      path: '/watchdog/shutdown',
      reach: 'device',
      turn: 'ahead',
      body: objectOf({ shutdown: literal('start') }),
      summary: 'Starts a shutdown',
      description: 'The same procedure as the hardware switch: the device resets after shutdown_timeout.',
      danger: 'The device shuts down, and is reset.',
      spec: 'BMC service; BMC watchdog',
      example: { shutdown: 'start' },
    },
    feedWatchdog: {
      ...acts,
      path: '/watchdog/alive',
      reach: 'none',
      turn: 'ahead',
      summary: 'Restarts the counter of the watchdog',
      errors: [bmcErrors.watchdogOff],
      spec: 'BMC service; BMC watchdog',
    },
    saveWatchdog: {
      ...acts,
      path: '/watchdog/save',
      summary: 'Saves the timeout of the watchdog persistently',
      description: 'A saved timeout is active again after a restart.',
      danger: 'After every restart, the device is reset again and again if no client feeds the watchdog in time.',
      errors: savingErrors,
      spec: 'BMC service; BMC watchdog',
    },
    getUsbHub: {
      ...reads,
      path: '/usbhub',
      reply: named('UsbHub', objectOf({ hub_state: usbState, ...perSlot(() => usbState) })),
      summary: 'Reads the state of the USB hub and its ports',
      description: 'Shows the applied settings, not the saved ones.',
      spec: 'BMC service; BMC resources, USB hub status',
    },
    getUsbDevices: {
      ...reads,
      path: '/usbhub/devices',
      reply: named(
        'UsbDevices',
        objectOf({
          devices: listOf(
            named(
              'UsbDevice',
              objectOf({
                slot: unsigned(),
                usb_port: unsigned({ description: 'physical port of the hub' }),
                manufacturer: text(),
                product: text(),
                serial_code: text(),
                system_path: text({ description: 'path of the device on the host, without symbolic links' }),
              }),
            ),
          ),
        }),
      ),
      errors: [bmcErrors.usbDevicesNotRead],
      summary: 'Lists the USB devices and the slots that they are in',
      spec: 'BMC service; BMC resources, USB hub device',
    },
    setUsbHub: {
      ...writes,
      path: '/usbhub',
      body: usbSettingBody,
      summary: 'Enables or disables the USB hub',
      description: 'Saved at once, applied by usbhub/reset, reset or a restart.',
      errors: [bmcErrors.usbHubNotAvailable, ...savingErrors],
      spec: 'BMC service; BMC USB hub',
      example: { state: true },
    },
    setUsbSlot: {
      ...writes,
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
      summary: "Enables or disables a slot's USB port",
      description: 'Saved at once, applied by usbhub/reset or a restart.',
      errors: [bmcErrors.usbPortNotAvailable, ...savingErrors],
      spec: 'BMC service; BMC USB hub',
      example: { state: true },
    },
    resetUsbHub: {
      ...writes,
      path: '/usbhub/reset',
      reach: 'device',
      body: resetBody,
      summary: 'Applies the saved USB settings',
      description: 'Disconnects all USB devices.',
      danger: 'All USB devices are disconnected; disks among them can lose data.',
      spec: 'BMC service; BMC USB hub',
      example: { reset: 'yes' },
    },
    setUsbBootloader: {
      ...writes,
      path: '/usb_bootloader',
      reach: 'device',
      body: usbBootloaderBody,
      summary: 'Arms the USB bootloader of the computer',
      description: `Active after the next reset; without a host within ${BOOTLOADER_WINDOW_MS / 1000} s the device returns to normal.`,
      danger: 'After the next reset, the computer waits for a USB host in place of its normal start.',
      spec: 'BMC service, rule 5; USB bootloader',
      example: { enabled: false, timeout: 0 },
    },
    hardReset: {
      ...writes,
      path: '/hard_reset',
      reach: 'device',
      turn: 'clears',
      body: resetBody,
      summary: 'Resets the whole device',
      description: 'The request is answered first. Until the device is back its address answers 502; then all sessions are new.',
      danger: 'The whole device restarts at once: running programs are killed, all outputs go off.',
      spec: 'BMC service',
      example: { reset: 'yes' },
    },
  },
} as const satisfies Contract
