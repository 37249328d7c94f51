import { LinkError, type LinkFailure } from '@slotwire/core'
import { Errno } from './errno.ts'
import { ChildEnded, KernelFileError } from './kernel-files.ts'

/** Error numbers of an exchange and their meaning (wire-protocol.md section 3). Any other is a failed transfer. */
const failures: Readonly<Record<number, LinkFailure>> = {
  [Errno.EMSGSIZE]: 'too-long',
  [Errno.ECOMM]: 'transfer-failed',
  [Errno.EBUSY]: 'busy',
  [Errno.ENODEV]: 'gone',
  [Errno.ENXIO]: 'gone',
  [Errno.EBADSLT]: 'gone',
}

/** The link failure for a failed system call on a slot's file. EAGAIN means a busy bus on write, and a lost write on read. */
export function failureOf(error: KernelFileError): LinkFailure {
  if (error.errno === Errno.EAGAIN) return error.syscall === 'read' ? 'transfer-failed' : 'busy'
  return failures[error.errno] ?? 'transfer-failed'
}

/**
 * Converts any error to the `LinkError` that a link rejects with. If the process ended, its file is closed: the module must be opened
 * again.
 */
export function linkErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  if (error instanceof KernelFileError) return new LinkError(failureOf(error), `slot ${slot}: ${error.message}`)
  const reason = error instanceof Error ? error.message : String(error)
  return new LinkError(error instanceof ChildEnded ? 'gone' : 'transfer-failed', `slot ${slot}: ${reason}`)
}

/** The error for attributes that could not be read. Only a missing folder means that the module left; other errors do not. */
export function attributeErrorOf(slot: number, error: unknown): LinkError {
  if (error instanceof LinkError) return error
  return new LinkError('transfer-failed', `slot ${slot}: ${error instanceof Error ? error.message : String(error)}`)
}

/** Why a slot could not be opened, with the remedy. */
export function openErrorOf(slot: number, file: string, error: unknown): LinkError {
  if (!(error instanceof KernelFileError)) return linkErrorOf(slot, error)
  if (error.errno === Errno.EBUSY) {
    const remedy = `end it ("fuser ${file}" shows which); the slot is opened as soon as it is free`
    return new LinkError('busy', `slot ${slot} is used by another program: ${remedy}`)
  }
  if (error.errno === Errno.EACCES || error.errno === Errno.EPERM) {
    const remedy = `this user must be allowed to read and write it, and to enter its folder ("namei -l ${file}" shows the rights)`
    return new LinkError('transfer-failed', `slot ${slot}: no permission for ${file}: ${remedy}`)
  }
  if (error.errno === Errno.ENOENT) {
    return new LinkError('transfer-failed', `slot ${slot} holds a module, but there is no ${file} yet`)
  }
  if (error.errno === Errno.ENOTTY) {
    return new LinkError('transfer-failed', `slot ${slot}: ${file} is not a device: remove it and let udev create it`)
  }
  return linkErrorOf(slot, error)
}
