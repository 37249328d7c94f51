import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnyCommand, decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './command.ts'
import { faultOf } from './hex.testkit.ts'

/** Arbitrary valid data of one command; left out if it has none. */
export interface CommandData {
  readonly request?: fc.Arbitrary<object>
  readonly response?: fc.Arbitrary<object>
}

const nothing = fc.constant({})

/** Any JavaScript value, unusual ones more often. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true, withObjectString: true }),
  fc.constantFrom(undefined, null, Number.NaN, Number.POSITIVE_INFINITY, Symbol('anyValue'), () => 1),
  fc.double(),
  fc.maxSafeInteger(),
)

/** The same data with one field, at any depth, replaced by another value; or another value altogether. */
function corrupted(data: unknown, path: readonly number[], by: unknown): unknown {
  if (typeof data !== 'object' || data === null || data instanceof Uint8Array) return by
  const keys = Object.keys(data)
  const [step, ...rest] = path
  const key = step === undefined ? undefined : keys[step % (keys.length + 1)]
  if (key === undefined) return by
  const changed = corrupted((data as Record<string, unknown>)[key], rest, by)
  if (Array.isArray(data)) return data.map((item: unknown, index) => (String(index) === key ? changed : item))
  return { ...data, [key]: changed }
}

/** Any bytes: starting like the command, as a refusal, as an ERROR, or as none of these. */
function payloadsNear(command: AnyCommand): fc.Arbitrary<Uint8Array> {
  const { classIdentifier, class: group, operation } = command
  const heads = fc.constantFrom(
    [classIdentifier, group, operation],
    [classIdentifier, group, operation, 0],
    [classIdentifier, group, 1],
    [],
  )
  return fc.tuple(heads, fc.uint8Array({ maxLength: 60 })).map(([head, rest]) => Uint8Array.of(...head, ...rest))
}

/** The properties of every command: round trips, wrong values and arbitrary bytes. */
export function describeCommandProperties(commands: readonly AnyCommand[], data: Readonly<Record<string, CommandData>>): void {
  it('has data for existing commands only', () =>
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(data))))

  describe.each(commands.map((command) => ({ name: command.name, command })))('$name', ({ name, command }) => {
    const { request = nothing, response = nothing } = data[name] ?? {}
    const directions = [
      { of: 'request', any: request, encode: encodeRequest, decode: decodeRequest },
      { of: 'response', any: response, encode: encodeResponse, decode: decodeResponse },
    ] as const

    it.each(directions)('$of: decodes any valid data to the same values', ({ any, encode, decode }) =>
      fc.assert(
        fc.property(any, (value) => {
          expect(decode(command, encode(command, value))).toEqual(value)
        }),
      ),
    )

    it.each(directions)(
      '$of: refuses a wrong value with a value fault, and decodes whatever it encodes',
      ({ any, encode, decode }) =>
        fc.assert(
          fc.property(any, fc.array(fc.nat(), { maxLength: 3 }), anyValue, (value, path, by) => {
            const wrong = corrupted(value, path, by)
            const fault = faultOf(() => encode(command, wrong))
            expect(['none', 'value']).toContain(fault)
            if (fault === 'none') {
              const bytes = encode(command, wrong)
              expect(encode(command, decode(command, bytes))).toEqual(bytes)
            }
          }),
        ),
    )

    it('turns any bytes into a value or a typed fault', () =>
      fc.assert(
        fc.property(payloadsNear(command), (bytes) => {
          expect(['none', 'truncated', 'value', 'length', 'class']).toContain(faultOf(() => decodeRequest(command, bytes)))
          expect(['none', 'truncated', 'value', 'class', 'rejected']).toContain(faultOf(() => decodeResponse(command, bytes)))
        }),
      ))
  })
}
