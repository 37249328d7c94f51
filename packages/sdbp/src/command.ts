import { ByteReader, ByteWriter } from './bytes.ts'
import { ModuleRefusal, SdbpError, valueFault } from './errors.ts'
import type { Field, Shape, StructValue } from './fields.ts'
import { struct } from './fields.ts'

/** The three bytes before the data: who, which group, which operation. */
export interface CommandCode {
  readonly classIdentifier: number
  readonly class: number
  readonly operation: number
}

/** A command as a value: what host and module need to speak it, in both directions. */
export interface Command<Request, Response> extends CommandCode {
  readonly name: string
  readonly request: Field<Request>
  readonly response: Field<Response>
  /** What the statuses of its class mean; undefined where the response has no leading status byte. */
  readonly statuses: Readonly<Record<number, string>> | undefined
  /** A response data length at which the status byte is left out. */
  readonly statuslessLength: number | undefined
  /** Whether a failed exchange may be repeated: false where the module may be gone because it obeyed. */
  readonly repeatable: boolean
}

export type RequestOf<C> = C extends Command<infer Request, unknown> ? Request : never
export type ResponseOf<C> = C extends Command<unknown, infer Response> ? Response : never
/** Any command at all, for tables of them. */
export type AnyCommand = Command<unknown, unknown>

export const STATUS_OK = 0
/** Operation number in a response that carries an error code instead of data. */
export const ERROR_OPERATION = 1
const MAX_STATUS = 255
const CODE_SIZE = 3

export interface CommandOptions {
  /** False where the response data comes without a status byte. */
  readonly status?: false
  readonly statuslessLength?: number
  readonly repeatable?: false
}

/** A class of commands: `const input = commandClass({ classIdentifier: 3, class: 1, statuses: { invalidMode: 3 } })`. */
export function commandClass(of: { classIdentifier: number; class: number; statuses?: Readonly<Record<string, number>> }) {
  const statuses = of.statuses && meaningsOf(of.statuses)
  return {
    /** Declares one command: its name in the wire document, its operation, the fields of request and response data. */
    command<const Request extends Shape = Record<never, never>, const Response extends Shape = Record<never, never>>(
      name: string,
      operation: number,
      data: { readonly request?: Request; readonly response?: Response } = {},
      options: CommandOptions = {},
    ): Command<StructValue<Request>, StructValue<Response>> {
      return {
        name,
        classIdentifier: of.classIdentifier,
        class: of.class,
        operation,
        request: struct((data.request ?? {}) as Request),
        response: struct((data.response ?? {}) as Response),
        statuses: options.status === false ? undefined : statuses,
        statuslessLength: options.statuslessLength,
        repeatable: options.repeatable ?? true,
      }
    },
  }
}

/** What a status means: `invalidMode` is `invalid mode`. */
function meaningsOf(statuses: Readonly<Record<string, number>>): Readonly<Record<number, string>> {
  const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(statuses).map(([name, status]) => [status, wordsOf(name)]))
}

function writeCode(writer: ByteWriter, code: CommandCode): void {
  writer.unsigned(code.classIdentifier, 1)
  writer.unsigned(code.class, 1)
  writer.unsigned(code.operation, 1)
}

/** The first three bytes of any payload. Throws `truncated`. */
export function commandCodeOf(payload: Uint8Array): CommandCode {
  const reader = new ByteReader(payload)
  return { classIdentifier: reader.unsigned(1), class: reader.unsigned(1), operation: reader.unsigned(1) }
}

/** Host: the payload that asks. Throws `value` when a field is out of its range. */
export function encodeRequest<Request>(command: Command<Request, unknown>, request: Request): Uint8Array {
  const writer = new ByteWriter()
  writeCode(writer, command)
  command.request.write(writer, request, '')
  return writer.finish()
}

/** Module: the data of a request for this command. Bytes beyond the last field are a `length` fault. */
export function decodeRequest<Request>(command: Command<Request, unknown>, payload: Uint8Array): Request {
  const reader = dataOf(command, payload)
  const request = command.request.read(reader, '')
  if (reader.left > 0) throw new SdbpError('length', `${command.name}: ${reader.left} bytes too many`)
  return request
}

/** Module: the payload that answers. */
export function encodeResponse<Response>(command: Command<unknown, Response>, response: Response): Uint8Array {
  const writer = new ByteWriter()
  writeCode(writer, command)
  if (command.statuses !== undefined) writer.unsigned(STATUS_OK, 1)
  command.response.write(writer, response, '')
  return writer.finish()
}

/**
 * Module: the payload that refuses, with a status (1…255) of the command's class. Where the response has no status byte it is an
 * ERROR response with this code. Throws `value` for status 0, which would be a success.
 */
export function encodeRefusal(command: AnyCommand, status: number): Uint8Array {
  if (!Number.isInteger(status) || status <= STATUS_OK || status > MAX_STATUS)
    throw valueFault('status', status, `1…${MAX_STATUS}`)
  const operation = command.statuses === undefined ? ERROR_OPERATION : command.operation
  return Uint8Array.of(command.classIdentifier, command.class, operation, status)
}

/**
 * Host: the data of an answer; bytes beyond the last field are tolerated. Throws `ModuleRefusal` for a status other than 0,
 * `rejected` for an ERROR response, `class` for somebody else's answer, `truncated` and `value` for garbage.
 */
export function decodeResponse<Response>(command: Command<unknown, Response>, payload: Uint8Array): Response {
  if (isErrorResponse(command, payload)) {
    throw new SdbpError('rejected', `${command.name} was answered with error ${payload[CODE_SIZE] ?? 'without a code'}`)
  }
  const reader = dataOf(command, payload)
  if (command.statuses !== undefined && reader.left !== command.statuslessLength) {
    const status = reader.unsigned(1)
    if (status !== STATUS_OK) throw new ModuleRefusal(command.name, status, command.statuses[status] ?? 'unknown status')
  }
  return command.response.read(reader, '')
}

/** The dummy's own operation number is that of ERROR: its acknowledgement is none. */
function isErrorResponse(command: AnyCommand, payload: Uint8Array): boolean {
  if (command.operation === ERROR_OPERATION) return false
  return payload[0] === command.classIdentifier && payload[1] === command.class && payload[2] === ERROR_OPERATION
}

function dataOf(command: AnyCommand, payload: Uint8Array): ByteReader {
  if (payload[0] !== command.classIdentifier || payload[1] !== command.class || payload[2] !== command.operation) {
    const found = commandCodeOf(payload)
    const code = `${found.classIdentifier}/${found.class}/${found.operation}`
    throw new SdbpError('class', `${command.name} expected, payload is of command ${code}`)
  }
  return new ByteReader(payload, CODE_SIZE)
}
