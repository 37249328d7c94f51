import type { AnyCommand } from './command.ts'
import { SdbpError, type SdbpFault } from './errors.ts'

/** Bytes from hexadecimal digits as in the wire document, spaces ignored: `01 04 01`. Throws for any other text. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll(' ', '')
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error(`not hexadecimal bytes: ${text}`)
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** `01 04 01`, upper case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')
}

/** The commands among the exports of a file, such as a module type's `wire.ts`. */
export function commandsIn(exports: object): readonly AnyCommand[] {
  return Object.values(exports).filter(isCommand)
}

function isCommand(value: unknown): value is AnyCommand {
  return typeof value === 'object' && value !== null && 'operation' in value
}

/** The fault that `run` throws, or `none`. Passes on any error that is not an `SdbpError`, so that the test fails. */
export function faultOf(run: () => unknown): SdbpFault | 'none' {
  try {
    run()
  } catch (error) {
    if (error instanceof SdbpError) return error.fault
    throw error
  }
  return 'none'
}
