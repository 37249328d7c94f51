import { KernelFileError } from './kernel-files.ts'

/** A request to the reader process; reader-program.mjs handles it. */
export interface ReaderRequest {
  readonly kind: 'list' | 'resolve' | 'read' | 'write' | 'readOnce'
  readonly files: readonly string[]
  readonly content?: string
}

/** Why a system call failed. */
export interface Failure {
  readonly errno: number
  readonly syscall: string
}

/** An answer: the content or failure of each file, or the failure of the whole request. */
export interface ReaderAnswer {
  readonly id: number
  readonly done: readonly (string | Failure)[]
  readonly failed?: Failure
}

export function errorOf({ errno, syscall }: Failure, file: string): KernelFileError {
  return new KernelFileError(syscall, errno, file)
}
