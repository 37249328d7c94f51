/**
 * The kinds of faults. `truncated`: too few bytes; `value`: a field has an invalid value; `length`, `type`, `crc`: an invalid frame;
 * `class`: the response of another command; `transaction`, `rejected`: the module reported an error.
 */
export type SdbpFault = 'truncated' | 'value' | 'length' | 'type' | 'crc' | 'class' | 'transaction' | 'rejected'

/** The one error of encoding and decoding. */
export class SdbpError extends Error {
  override readonly name = 'SdbpError'

  constructor(
    readonly fault: SdbpFault,
    message: string,
    /** The field with the `value` fault. */
    readonly field?: string,
  ) {
    super(message)
  }
}

/** A `value` fault: the value found in `field`, and the expected one. */
export function valueFault(field: string, value: string | number, wanted: string): SdbpError {
  return new SdbpError('value', `${field} is ${value}: ${wanted}`, field)
}

/** The module understood the command and refused it with a status of its class (wire-protocol.md section 2). */
export class ModuleRefusal extends SdbpError {
  constructor(
    readonly command: string,
    readonly status: number,
    readonly reason: string,
  ) {
    super('rejected', `${command} was refused: ${reason} (status ${status})`)
  }
}
