import { getSystemErrorMap } from 'node:util'

/** The error numbers that the adapter distinguishes, as on Linux on x86 and ARM. */
export const Errno = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  EAGAIN: 11,
  EACCES: 13,
  EBUSY: 16,
  ENODEV: 19,
  ENOTTY: 25,
  EPIPE: 32,
  EBADSLT: 57,
  ECOMM: 70,
  EMSGSIZE: 90,
} as const

const names = new Map<number, string>(Object.entries(Errno).map(([name, number]) => [number, name]))

/** `EBUSY`, or `errno 42` if the runtime has no name for it. EWOULDBLOCK equals EAGAIN. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? getSystemErrorMap().get(-errno)?.[0] ?? `errno ${errno}`
}
