import { KernelFileError } from './kernel-files.ts'

/** What the reader's process is asked; reader-program.mjs obeys. */
export interface ReaderRequest {
  readonly kind: 'list' | 'read' | 'write' | 'readOnce'
  readonly files: readonly string[]
  readonly content?: string
}

/** What a call failed with. */
export interface Failure {
  readonly errno: number
  readonly syscall: string
}

/** An answer: for each file its content or its failure, or the failure of the whole. */
export interface ReaderAnswer {
  readonly id: number
  readonly done: readonly (string | Failure)[]
  readonly failed?: Failure
}

export function errorOf({ errno, syscall }: Failure, file: string): KernelFileError {
  return new KernelFileError(syscall, errno, file)
}
