import { LinkError, type LinkFailure } from '@slotwire/core'
import { Errno } from './errno.ts'
import { ChildEnded, KernelFileError } from './kernel-files.ts'

/** What the errors of the wire document say of an exchange (section 3). What is not here is a failed transfer. */
const failures: Readonly<Record<number, LinkFailure>> = {
  [Errno.EMSGSIZE]: 'too-long',
  [Errno.ECOMM]: 'transfer-failed',
  [Errno.EBUSY]: 'busy',
  [Errno.ENODEV]: 'gone',
  [Errno.ENXIO]: 'gone',
  [Errno.EBADSLT]: 'gone',
}

/** A failed system call on a slot's file as the driver knows it: EAGAIN is a busy bus on write, and on read a write that was lost. */
export function failureOf(error: KernelFileError): LinkFailure {
  if (error.errno === Errno.EAGAIN) return error.syscall === 'read' ? 'transfer-failed' : 'busy'
  return failures[error.errno] ?? 'transfer-failed'
}

/** Whatever was thrown, as the one error that a link rejects with. A process that ended has closed the file: the module must be opened anew. */
export function linkErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  if (error instanceof KernelFileError) return new LinkError(failureOf(error), `slot ${slot}: ${error.message}`)
  const reason = error instanceof Error ? error.message : String(error)
  return new LinkError(error instanceof ChildEnded ? 'gone' : 'transfer-failed', `slot ${slot}: ${reason}`)
}

/** Why attributes could not be read. That a process ended, or what the kernel says, is no sign that the module left: its folder is. */
export function attributeErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  return new LinkError('transfer-failed', `slot ${slot}: ${error instanceof Error ? error.message : String(error)}`)
}

/** Why a slot could not be opened, with what to do about it. */
export function openErrorOf(slot: number, file: string, error: unknown): LinkError {
  if (!(error instanceof KernelFileError)) return linkErrorOf(slot, error)
  if (error.errno === Errno.EBUSY) {
    const remedy = `end it ("fuser ${file}" tells which it is); the slot is taken over as soon as it is free`
    return new LinkError('busy', `slot ${slot} is used by another program, and only one can: ${remedy}`)
  }
  if (error.errno === Errno.EACCES || error.errno === Errno.EPERM) {
    const remedy = `this user must be allowed to read and write it, and to enter its folder ("namei -l ${file}" shows the rights)`
    return new LinkError('transfer-failed', `slot ${slot}: no permission for ${file}: ${remedy}`)
  }
  if (error.errno === Errno.ENOENT) {
    return new LinkError('transfer-failed', `slot ${slot} holds a module, but there is no ${file} yet`)
  }
  if (error.errno === Errno.ENOTTY) {
    return new LinkError(
      'transfer-failed',
      `slot ${slot}: ${file} is no device and is left alone: remove it and have udev make it`,
    )
  }
  return linkErrorOf(slot, error)
}
