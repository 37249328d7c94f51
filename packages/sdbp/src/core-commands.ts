import { commandClass, encodeRequest } from './command.ts'
import { SdbpError } from './errors.ts'
import { bytes, enumOf, textPart, u16, u32 } from './fields.ts'
import { type Frame, MAX_FRAME_SIZE, MessageType, MIN_FRAME_SIZE } from './frame.ts'

/** Class identifier of the commands of every module; wire-protocol.md section 2 "Core". */
export const CORE_CLASS_IDENTIFIER = 1
/** Class identifier of the commands of one module type. */
export const MODULE_CLASS_IDENTIFIER = 3

const descriptor = commandClass({ classIdentifier: CORE_CLASS_IDENTIFIER, class: 2 })
const control = commandClass({ classIdentifier: CORE_CLASS_IDENTIFIER, class: 3, statuses: { failed: 1 } })
const dummy = commandClass({ classIdentifier: CORE_CLASS_IDENTIFIER, class: 4 })
const wait = commandClass({ classIdentifier: CORE_CLASS_IDENTIFIER, class: 5 })

const text = { response: { part: textPart } } as const
const version = { major: u16(), minor: u16(), patch: u16() } as const
const milliwatt = { response: { milliwatt: u32({ unit: 'mW' }) } } as const

export const getVendorProductId = descriptor.command('VENDOR_PRODUCT_ID', 2, text)
export const getSerialCode = descriptor.command('SERIAL_CODE', 3, { response: { serial: bytes(16) } })
export const getFirmwareVersion = descriptor.command('FW_VERSION', 4, {
  response: { stability: enumOf({ A: 1, B: 2, S: 3 }), ...version },
})
export const getHardwareVersion = descriptor.command('HW_VERSION', 5, { response: version })
export const getMaxSclkSpeed = descriptor.command('MAX_SCLK_SPEED', 6, { response: { kilohertz: u32({ unit: 'kHz' }) } })
export const getMaxFrameSize = descriptor.command('MAX_FRAME_SIZE', 7, { response: { bytes: u16({ unit: 'bytes' }) } })
export const getProtocolVersion = descriptor.command('PROTOCOL_VERSION', 8, { response: version })
export const getVendorName = descriptor.command('VENDOR_NAME', 9, text)
export const getProductName = descriptor.command('PRODUCT_NAME', 10, text)
export const getBootloaderState = descriptor.command('BOOTLOADER_STATE', 11, {
  response: { state: enumOf({ 'not supported': 0, supported: 1, 'in bootloader mode': 2 }) },
})
export const getMaxPower3v3 = descriptor.command('MAX_POWER_3V3', 12, milliwatt)
export const getMaxPower5v0 = descriptor.command('MAX_POWER_5V0', 13, milliwatt)
export const getMaxPower12v = descriptor.command('MAX_POWER_12V', 14, milliwatt)

export const modeSuspend = control.command('MODE_SUSPEND', 2)
/** Starts the module; repeated as the heartbeat, it keeps it running. */
export const modeRun = control.command('MODE_RUN', 3)
export const modeBootloader = control.command('MODE_BOOTLOADER', 4)
export const systemReset = control.command('SYSTEM_RESET', 5, {}, { repeatable: false })
export const factoryReset = control.command('FACTORY_RESET', 6)
export const setFrameSize = control.command('SET_FRAME_SIZE', 7, {
  request: { bytes: u16({ min: MIN_FRAME_SIZE, max: MAX_FRAME_SIZE, unit: 'bytes' }) },
})
export const setSclkSpeed = control.command('SET_SCLK_SPEED', 8, { request: { kilohertz: u32({ min: 100, unit: 'kHz' }) } })
export const updateDescriptor = control.command('UPDATE_DESCRIPTOR', 9)

/** The payload of the dummy frame that fetches a response. */
export const dummyOperation = dummy.command('DUMMY', 1)
/** The frame that fetches a response, and that the module answers an operation with. */
export const dummyFrame: Frame = {
  type: MessageType.acknowledgement,
  notificationPending: false,
  payload: encodeRequest(dummyOperation, {}),
}
/** Module to host only: wait so long for the next pulse and read again. */
export const waitForResponse = wait.command('WAIT', 2, {
  response: { microseconds: u32({ min: 1000, max: 65_535_000, unit: 'µs' }) },
})

/** Class and operation of GET_NOTIFICATION; its response is read with `decodeNotification`. */
const notification = commandClass({ classIdentifier: CORE_CLASS_IDENTIFIER, class: 6, statuses: {} })
export const getNotification = notification.command('GET_NOTIFICATION', 2)

/** Codes of a module's rejection of a whole frame; wire-protocol.md section 1. */
export const TransactionError = {
  messageTypeInvalid: 1,
  classIdentifierInvalid: 2,
  frameCrc: 3,
  classInvalid: 4,
  dataLengthInvalid: 5,
  wrongMode: 6,
} as const
export type TransactionError = (typeof TransactionError)[keyof typeof TransactionError]

const names = new Map<number, string>(Object.entries(TransactionError).map(([name, code]) => [code, name]))
const CLASS = 1
const SIZE = 3

/** Module: encodes the rejection of the last frame. */
export function encodeTransactionError(code: TransactionError): Uint8Array {
  return Uint8Array.of(CORE_CLASS_IDENTIFIER, CLASS, code)
}

/** Host: throws `transaction` if this payload rejects the frame; ignores trailing bytes. */
export function throwIfTransactionError(payload: Uint8Array): void {
  if (payload.length < SIZE || payload[0] !== CORE_CLASS_IDENTIFIER || payload[1] !== CLASS) return
  const code = payload[2] as number
  throw new SdbpError('transaction', `the module rejected the frame: ${names.get(code) ?? `code ${code}`}`)
}
