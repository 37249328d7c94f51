import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'

/** Error numbers of the kernel driver that Node.js has no names for, as on Linux on x86 and ARM. */
const UNNAMED = { EBADSLT: 57, ECOMM: 70 } as const

/** The error numbers that the adapter distinguishes, among others. */
export const Errno = { ...constants.errno, ...UNNAMED } as const

const names = new Map<number, string>(Object.entries(UNNAMED).map(([name, number]) => [number, name]))

/** `EBUSY`, or `errno 42` if the runtime has no name for it. EWOULDBLOCK equals EAGAIN. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? getSystemErrorMap().get(-errno)?.[0] ?? `errno ${errno}`
}
