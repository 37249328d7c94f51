import { ByteReader, ByteWriter } from './bytes.ts'
import { ModuleRefusal, SdbpError, valueFault } from './errors.ts'
import { type Field, type Shape, type StructValue, struct } from './fields.ts'

/** The three bytes before the data: class identifier, class, operation. */
export interface CommandCode {
  readonly classIdentifier: number
  readonly class: number
  readonly operation: number
}

/** A command as a value, with everything that host and module need to encode and decode it. */
export interface Command<Request, Response> extends CommandCode {
  readonly name: string
  readonly request: Field<Request>
  readonly response: Field<Response>
  /** Names of its class's statuses; undefined if the response has no leading status byte. */
  readonly statuses: Readonly<Record<number, string>> | undefined
  /** Length of the response data at which the status byte is missing. */
  readonly statuslessLength: number | undefined
  /** Whether a failed exchange may be repeated: false if the module may be gone because it executed the command. */
  readonly repeatable: boolean
}

export type ResponseOf<C> = C extends Command<unknown, infer Response> ? Response : never
/** Any command, for tables of them. */
export type AnyCommand = Command<unknown, unknown>

export const STATUS_OK = 0
/** Operation number in a response that carries an error code instead of data. */
export const ERROR_OPERATION = 1
const MAX_STATUS = 255
const CODE_SIZE = 3

export interface CommandOptions {
  /** False if the response data has no status byte. */
  readonly status?: false
  readonly statuslessLength?: number
  readonly repeatable?: false
}

/** A class of commands: `const input = commandClass({ classIdentifier: 3, class: 1, statuses: { invalidMode: 3 } })`. */
export function commandClass(of: { classIdentifier: number; class: number; statuses?: Readonly<Record<string, number>> }) {
  const statuses = of.statuses && meaningsOf(of.statuses)
  return {
    /** Declares one command: its name in the wire document, its operation, and the fields of request and response. */
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

/** The text of a status: `invalidMode` is `invalid mode`. */
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

/** Host: encodes a request. Throws `value` if a field is out of range. */
export function encodeRequest<Request>(command: Command<Request, unknown>, request: Request): Uint8Array {
  const writer = new ByteWriter()
  writeCode(writer, command)
  command.request.write(writer, request, '')
  return writer.finish()
}

/** Module: decodes the data of a request for this command. Bytes after the last field are a `length` fault. */
export function decodeRequest<Request>(command: Command<Request, unknown>, payload: Uint8Array): Request {
  const reader = dataOf(command, payload)
  const request = command.request.read(reader, '')
  if (reader.left > 0) throw new SdbpError('length', `${command.name}: ${reader.left} bytes too many`)
  return request
}

/** Module: encodes a response. */
export function encodeResponse<Response>(command: Command<unknown, Response>, response: Response): Uint8Array {
  const writer = new ByteWriter()
  writeCode(writer, command)
  if (command.statuses !== undefined) writer.unsigned(STATUS_OK, 1)
  command.response.write(writer, response, '')
  return writer.finish()
}

/**
 * Module: encodes a refusal with a status (1…255) of the command's class. If the response has no status byte, it is an ERROR response
 * with this code. Throws `value` for status 0, which would be a success.
 */
export function encodeRefusal(command: AnyCommand, status: number): Uint8Array {
  if (!Number.isInteger(status) || status <= STATUS_OK || status > MAX_STATUS)
    throw valueFault('status', status, `1…${MAX_STATUS}`)
  const operation = command.statuses === undefined ? ERROR_OPERATION : command.operation
  return Uint8Array.of(command.classIdentifier, command.class, operation, status)
}

/**
 * Host: decodes a response; bytes after the last field are ignored. Throws `ModuleRefusal` for a status other than 0, `rejected` for an
 * ERROR response, `class` for the response of another command, `truncated` and `value` for an invalid one.
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

/** The dummy has the operation number of ERROR, but its acknowledgement is not an error. */
function isErrorResponse(command: AnyCommand, payload: Uint8Array): boolean {
  if (command.operation === ERROR_OPERATION) return false
  return payload[0] === command.classIdentifier && payload[1] === command.class && payload[2] === ERROR_OPERATION
}

function dataOf(command: AnyCommand, payload: Uint8Array): ByteReader {
  if (payload[0] !== command.classIdentifier || payload[1] !== command.class || payload[2] !== command.operation) {
    const received = commandCodeOf(payload)
    const code = `${received.classIdentifier}/${received.class}/${received.operation}`
    throw new SdbpError('class', `${command.name} expected, payload is of command ${code}`)
  }
  return new ByteReader(payload, CODE_SIZE)
}
