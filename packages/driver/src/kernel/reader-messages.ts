import { isRecord } from '@slotwire/core'
import { KernelFileError } from './kernel-files.ts'

/** What the reader's process is asked; reader-program.mjs obeys. */
export interface ReaderRequest {
  readonly kind: 'list' | 'read' | 'write' | 'readOnce'
  readonly files: readonly string[]
  readonly content?: string
}

/** What a call failed with; errno 0: it did not. */
interface Failure {
  readonly errno: number
  readonly syscall: string
}

/** An answer: for each file its content or its failure, or the failure of the whole. */
export interface ReaderAnswer extends Failure {
  readonly id: number
  readonly done: readonly (string | Failure)[]
}

/** Reads an answer. Throws `TypeError` for anything else. */
export function readerAnswer(message: Buffer): ReaderAnswer {
  const answer: unknown = JSON.parse(message.toString())
  if (!isRecord(answer) || typeof answer['id'] !== 'number' || !Array.isArray(answer['done'])) {
    throw new TypeError('the reader of /sys answered nonsense')
  }
  const { id, errno = 0, syscall = '' } = answer
  const whole = isFailure({ errno, syscall }) ? { errno: Number(errno), syscall: String(syscall) } : { errno: 0, syscall: '' }
  return { id, ...whole, done: answer['done'].filter((one) => typeof one === 'string' || isFailure(one)) }
}

/** The failure as an error; undefined: there was none. */
export function errorOf(failure: Failure, file: string): KernelFileError | undefined {
  return failure.errno === 0 ? undefined : new KernelFileError(failure.syscall, failure.errno, file)
}

function isFailure(value: unknown): value is Failure {
  return isRecord(value) && typeof value['errno'] === 'number' && typeof value['syscall'] === 'string'
}
