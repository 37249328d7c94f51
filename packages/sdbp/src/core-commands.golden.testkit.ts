import { fromHex } from './hex.testkit.ts'

/** One core command in bytes, written by hand from wire-protocol.md sections 1 and 2, "Core". */
export interface GoldenCommand {
  readonly command: string
  readonly request: readonly [hex: string, value: object]
  readonly reply: readonly [hex: string, value: object]
}

/** Every core command, WAIT last. */
export const goldenCommands: readonly GoldenCommand[] = [
  {
    // chaining 0 = last; length 23 = 22 characters and NUL
    command: 'VENDOR_PRODUCT_ID',
    request: ['01 02 02', {}],
    reply: [
      '01 02 02 00 17 6D 6F 64 75 6C 65 73 2E 6E 6F 72 65 79 61 2E 74 65 63 68 2F 69 6F 00',
      { part: { last: true, text: 'modules.noreya.tech/io' } },
    ],
  },
  {
    command: 'SERIAL_CODE',
    request: ['01 02 03', {}],
    reply: ['01 02 03 00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF', { serial: fromHex('00112233445566778899AABBCCDDEEFF') }],
  },
  {
    // stability 3 = S, then 1.2.300
    command: 'FW_VERSION',
    request: ['01 02 04', {}],
    reply: ['01 02 04 03 00 01 00 02 01 2C', { stability: 'S', major: 1, minor: 2, patch: 300 }],
  },
  {
    command: 'HW_VERSION',
    request: ['01 02 05', {}],
    reply: ['01 02 05 00 01 00 00 FF FF', { major: 1, minor: 0, patch: 65_535 }],
  },
  {
    // 16000 kHz = 0x3E80
    command: 'MAX_SCLK_SPEED',
    request: ['01 02 06', {}],
    reply: ['01 02 06 00 00 3E 80', { kilohertz: 16_000 }],
  },
  {
    command: 'MAX_FRAME_SIZE',
    request: ['01 02 07', {}],
    reply: ['01 02 07 10 00', { bytes: 4096 }],
  },
  {
    command: 'PROTOCOL_VERSION',
    request: ['01 02 08', {}],
    reply: ['01 02 08 00 01 00 01 00 00', { major: 1, minor: 1, patch: 0 }],
  },
  {
    // chaining 1 = more follow: no NUL, length 3 is the text alone
    command: 'VENDOR_NAME',
    request: ['01 02 09', {}],
    reply: ['01 02 09 01 03 41 63 6D', { part: { last: false, text: 'Acm' } }],
  },
  {
    // the last part may be the NUL alone
    command: 'PRODUCT_NAME',
    request: ['01 02 0A', {}],
    reply: ['01 02 0A 00 01 00', { part: { last: true, text: '' } }],
  },
  {
    command: 'BOOTLOADER_STATE',
    request: ['01 02 0B', {}],
    reply: ['01 02 0B 02', { state: 'in bootloader mode' }],
  },
  {
    // 300 mW
    command: 'MAX_POWER_3V3',
    request: ['01 02 0C', {}],
    reply: ['01 02 0C 00 00 01 2C', { milliwatt: 300 }],
  },
  {
    // 1200 mW
    command: 'MAX_POWER_5V0',
    request: ['01 02 0D', {}],
    reply: ['01 02 0D 00 00 04 B0', { milliwatt: 1200 }],
  },
  {
    // 65535 mW, the most that a descriptor says
    command: 'MAX_POWER_12V',
    request: ['01 02 0E', {}],
    reply: ['01 02 0E 00 00 FF FF', { milliwatt: 65_535 }],
  },
  { command: 'MODE_SUSPEND', request: ['01 03 02', {}], reply: ['01 03 02 00', {}] },
  { command: 'MODE_RUN', request: ['01 03 03', {}], reply: ['01 03 03 00', {}] },
  { command: 'MODE_BOOTLOADER', request: ['01 03 04', {}], reply: ['01 03 04 00', {}] },
  { command: 'SYSTEM_RESET', request: ['01 03 05', {}], reply: ['01 03 05 00', {}] },
  { command: 'FACTORY_RESET', request: ['01 03 06', {}], reply: ['01 03 06 00', {}] },
  {
    // 128 bytes, a u16
    command: 'SET_FRAME_SIZE',
    request: ['01 03 07 00 80', { bytes: 128 }],
    reply: ['01 03 07 00', {}],
  },
  {
    // 16000 kHz, a u32
    command: 'SET_SCLK_SPEED',
    request: ['01 03 08 00 00 3E 80', { kilohertz: 16_000 }],
    reply: ['01 03 08 00', {}],
  },
  { command: 'UPDATE_DESCRIPTOR', request: ['01 03 09', {}], reply: ['01 03 09 00', {}] },
  {
    // operation 1 here is no error: host and module send the same bytes
    command: 'DUMMY',
    request: ['01 04 01', {}],
    reply: ['01 04 01', {}],
  },
  {
    // the module's notification bytes come after the status; see notification.test.ts
    command: 'GET_NOTIFICATION',
    request: ['01 06 02', {}],
    reply: ['01 06 02 00', {}],
  },
  {
    // module to host only: 250 ms = 250000 µs = 0x0003D090
    command: 'WAIT',
    request: ['01 05 02', {}],
    reply: ['01 05 02 00 03 D0 90', { microseconds: 250_000 }],
  },
]
