import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { bareBoard } from '../module/bare-module.testkit.ts'
import { VolatileMemory } from '../module/memory.ts'
import type { ToyFirmware } from '../module/toy-firmware.testkit.ts'
import { toyDefinition } from '../module/toy-firmware.testkit.ts'
import { VirtualModule } from '../module/virtual-module.ts'
import type { BusTiming } from './module-end.ts'
import { instantBus } from './module-end.ts'

const FILLER = '7f'

/** A frame in hex, written by hand: its beginning (spaces are ignored), filler, and a CRC computed independently. */
export function frame(beginning: string, crc: string, size = 64): string {
  const begun = beginning.replaceAll(' ', '')
  return begun.padEnd(2 * size - crc.length, FILLER) + crc
}

/** Golden frames, 64 bytes each; wire-protocol.md section 1. */
export const frames = {
  run: frame('01 0007 00 010303', 'fbea'),
  running: frame('02 0008 00 01030300', '6680'),
  runningAndMore: frame('02 0008 01 01030300', 'c3de'),
  suspend: frame('01 0007 00 010302', 'ba2d'),
  dummy: frame('04 0007 00 010401', '1331'),
  getNotification: frame('01 0007 00 010602', '7a1e'),
  notified: frame('02 0009 00 0106020005', '63c6'),
  nothingPending: frame('02 0008 00 01060103', '4a62'),
  getLamp: frame('01 0007 00 030103', 'ea8c'),
  lampOff: frame('02 0009 00 0301030000', '3eed'),
} as const

/** Transaction errors by their numbers 1…6. */
export const rejections: Readonly<Record<number, string>> = {
  1: frame('02 0007 00 010101', 'dbeb'),
  2: frame('02 0007 00 010102', '19a2'),
  3: frame('02 0007 00 010103', '5865'),
  4: frame('02 0007 00 010104', '8d11'),
  5: frame('02 0007 00 010105', 'ccd6'),
  6: frame('02 0007 00 010106', '0e9f'),
}

/** Flips one bit in the middle of the frame. */
export function garbled(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte))
}

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** A toy module with supply, in SUSPEND, without a host. */
export function toyModule(timing: BusTiming = instantBus) {
  const clock = new ManualClock()
  const definition = toyDefinition()
  const context = {
    slot: 2,
    clock,
    random: seededRandom(1),
    memory: new VolatileMemory(),
    board: bareBoard(clock),
    log: silentLog,
  }
  const module = new VirtualModule({ definition, context, timing, onRestart: () => undefined })
  module.powerUp()
  return { clock, module, toy: definition.made.at(-1) as ToyFirmware }
}
