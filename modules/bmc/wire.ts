import { SLOT_COUNT, type ThermistorDivider } from '@slotwire/core'
import { commandClass, enumOf, flag, list, MODULE_CLASS_IDENTIFIER, u8, u32, type ValueOf } from '@slotwire/sdbp'
import { bmcLimits } from './limits.ts'

/** wire-protocol.md section 2, "bmc module". */
export const BMC_VENDOR_PRODUCT_ID = 'modules.noreya.tech/bmc'

/** The thermistors of the mainboard; wire-protocol.md section 2, "bmc module". */
export const THERMISTOR: ThermistorDivider = { ratedOhm: 10_000, betaKelvin: 3380, lowerOhm: 10_000, supplyVolt: 3.3 }

/** Statuses of every bmc class. */
export const BmcStatus = { failed: 1, flashProtected: 2, outOfRange: 3, wrongState: 4 } as const

const bmcClass = (number: number) =>
  commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: number, statuses: BmcStatus })
const input = bmcClass(1)
const usbHub = bmcClass(2)
const watchdog = bmcClass(3)
const computeModule = bmcClass(4)
const buzzer = bmcClass(5)

const milliseconds = { response: { milliseconds: u32({ unit: 'ms' }) } } as const
const NO_STATUS = { status: false } as const

export const getVoltage = input.command('GET_VOLTAGE', 2, {
  request: { input: enumOf({ ntc0: 1, rail1v8: 2, rtcBattery: 3, ntc1: 4 }) },
  response: { microvolt: u32({ unit: 'µV' }) },
})

const hubState = enumOf({ enabled: 1, disabled: 2, 'not available': 3 })
const onOff = flag({ yes: 1, no: 2 })
export type HubState = ValueOf<typeof hubState>

export const getHubState = usbHub.command('GET_HUB_STATE', 2, { response: { state: hubState } }, NO_STATUS)
export const setHubState = usbHub.command('SET_HUB_STATE', 3, { request: { enabled: onOff } })
export const getUsbSlotState = usbHub.command(
  'GET_USB_SLOT_STATE',
  4,
  { response: { states: list(SLOT_COUNT, hubState) } },
  NO_STATUS,
)
export const setUsbSlotState = usbHub.command('SET_USB_SLOT_STATE', 5, {
  request: { enabled: onOff, slot: u8(bmcLimits.usbSlot) },
})
export const hubReset = usbHub.command('HUB_RESET', 6)
/** Hub port of each slot; 0: the slot has no USB. */
export const getPortMapping = usbHub.command('GET_PORT_MAPPING', 7, { response: { ports: list(SLOT_COUNT, u8()) } }, NO_STATUS)

export const enableTimeout = watchdog.command('ENABLE_TIMEOUT', 2, {
  request: { milliseconds: u32(bmcLimits.watchdogTimeoutMs) },
})
export const disableTimeout = watchdog.command('DISABLE_TIMEOUT', 3)
export const getTimeout = watchdog.command('GET_TIMEOUT', 4, milliseconds)
export const getTimeLeft = watchdog.command('GET_TIME_LEFT', 5, milliseconds)
export const alive = watchdog.command('ALIVE', 6)
export const saveConfig = watchdog.command('SAVE_CONFIG', 7)
export const setShutdownTimeout = watchdog.command('SET_SHUTDOWN_TIMEOUT', 8, {
  request: { milliseconds: u32(bmcLimits.shutdownTimeoutMs) },
})
export const getShutdownTimeout = watchdog.command('GET_SHUTDOWN_TIMEOUT', 9, milliseconds)
export const softwareShutdown = watchdog.command('SW_SHUTDOWN', 10, {}, { repeatable: false })
export const getEmergencyMode = watchdog.command(
  'EMERGENCY_MODE_STATE',
  11,
  { response: { emergency: flag({ yes: 1, no: 0 }) } },
  NO_STATUS,
)

export const controlUsbBoot = computeModule.command('CTL_USBBOOT', 2, {
  request: { enabled: onOff, milliseconds: u32(bmcLimits.usbBootloaderTimeoutMs) },
})

export const modeBuzzer = buzzer.command('MODE_BUZZER', 2, {
  request: { mode: u8(bmcLimits.buzzerMode), milliseconds: u32(bmcLimits.buzzerDurationMs) },
})
