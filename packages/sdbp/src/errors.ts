/**
 * What can be wrong with bytes. `truncated`: too few; `value`: a field out of its range or of its set; `length`, `type`, `crc`: the
 * frame; `class`: not the answer to this command; `transaction`, `rejected`: the module said so.
 */
export type SdbpFault = 'truncated' | 'value' | 'length' | 'type' | 'crc' | 'class' | 'transaction' | 'rejected'

/** The one error that encoding and decoding throw. */
export class SdbpError extends Error {
  override readonly name = 'SdbpError'
  readonly fault: SdbpFault
  /** The field that a `value` fault is about. */
  readonly field: string | undefined

  constructor(fault: SdbpFault, message: string, field?: string) {
    super(message)
    this.fault = fault
    this.field = field
  }
}

/** A `value` fault: what stands in `field`, and what is wanted there. Takes any value at all, also one that has no text. */
export function valueFault(field: string, found: unknown, wanted: string): SdbpError {
  const shown =
    typeof found === 'number' || typeof found === 'string' || typeof found === 'boolean'
      ? String(found)
      : `of type ${typeof found}`
  return new SdbpError('value', `${field} is ${shown}: ${wanted}`, field)
}

/** The module understood the command and refused it with a status of its class (wire-protocol.md section 2). */
export class ModuleRefusal extends SdbpError {
  readonly command: string
  readonly status: number
  readonly reason: string

  constructor(command: string, status: number, reason: string) {
    super('rejected', `${command} was refused: ${reason} (status ${status})`)
    this.command = command
    this.status = status
    this.reason = reason
  }
}
