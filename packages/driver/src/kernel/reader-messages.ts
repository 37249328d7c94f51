import { HEADER_SIZE } from './child-program.ts'
import { KernelFileError } from './kernel-files.ts'

/** The numbers of the requests; reader.pl has the same. */
const KINDS = { list: 1, resolve: 2, read: 3, write: 4, follow: 5, watch: 6 } as const

/** A request to the reader process; reader.pl handles it. */
export interface ReaderRequest {
  readonly kind: keyof typeof KINDS
  /** Before the files. */
  readonly options?: readonly string[]
  readonly files: readonly string[]
  readonly content?: string
}

/** Why a system call failed. */
export interface Failure {
  readonly errno: number
  readonly syscall: string
}

/** An answer: the names, or the content or failure of each file. A request that failed as a whole has one failure. */
export interface ReaderAnswer {
  readonly id: number
  readonly done: readonly (string | Failure)[]
  /** More answers to the same request follow. */
  readonly isPart: boolean
}

const NUMBER_SIZE = 4
const FAILED = 1
const PART = 2

/** The message for a request, with room for the header: its id, its kind, then each text behind its length. */
export function encodeReaderRequest(id: number, { kind, options = [], files, content }: ReaderRequest): Buffer {
  const texts = [...options, ...files, ...(content === undefined ? [] : [content])].map((text) => Buffer.from(text))
  const head = Buffer.alloc(HEADER_SIZE + NUMBER_SIZE + 1)
  head.writeUInt32BE(id, HEADER_SIZE)
  head[HEADER_SIZE + NUMBER_SIZE] = KINDS[kind]
  return Buffer.concat([head, ...texts.flatMap((text) => [numberOf(text.length), text])])
}

/** The answer in a message without header: the id, then for each file a status, and its content or failure behind its length. */
export function decodeReaderAnswer(message: Buffer): ReaderAnswer {
  const done: (string | Failure)[] = []
  for (let at = NUMBER_SIZE; at < message.length; ) {
    const from = at + 1 + NUMBER_SIZE
    const to = from + message.readUInt32BE(at + 1)
    if (message[at] !== FAILED) done.push(message.toString('utf8', from, to))
    else done.push({ errno: message.readUInt32BE(from), syscall: message.toString('latin1', from + NUMBER_SIZE, to) })
    at = to
  }
  return { id: message.readUInt32BE(0), done, isPart: message[NUMBER_SIZE] === PART }
}

export function errorOf({ errno, syscall }: Failure, file: string): KernelFileError {
  return new KernelFileError(syscall, errno, file)
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_SIZE)
  bytes.writeUInt32BE(value)
  return bytes
}
