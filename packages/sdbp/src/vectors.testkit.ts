import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AnyCommand,
  decodeRequest,
  decodeResponse,
  ERROR_OPERATION,
  encodeRefusal,
  encodeRequest,
  encodeResponse,
  STATUS_OK,
} from './command.ts'
import { ModuleRefusal, SdbpError } from './errors.ts'
import { faultOf, fromHex, toHex } from './hex.testkit.ts'

interface Payload {
  readonly command: string
  readonly title: string
  readonly hex: string
  readonly value: unknown
}

interface Refusal {
  readonly command: string
  readonly status: number
  readonly reason: string
  readonly hex: string
}

interface InvalidPayload {
  readonly command: string
  readonly title: string
  readonly hex: string
  readonly fault: string
  readonly field?: string
}

/** Golden payloads of one module type, written by hand from wire-protocol.md section 2. */
export interface Vectors {
  /** The host encodes these, and the module decodes them. */
  readonly requests: readonly Payload[]
  /** The module encodes these, and the host decodes them. */
  readonly replies: readonly Payload[]
  readonly refusals: readonly Refusal[]
  /** Requests that a module must accept, but our host never sends. */
  readonly toleratedRequests: readonly Payload[]
  /** Replies that the host must accept, but our modules never send. */
  readonly toleratedReplies: readonly Payload[]
  readonly wrongRequests: readonly InvalidPayload[]
  readonly wrongReplies: readonly InvalidPayload[]
}

/** Reads a `vectors.json`; a serial code is in it as hexadecimal text. */
export function readVectors(url: URL): Vectors {
  const revive = (key: string, value: unknown): unknown => (key === 'serial' ? fromHex(String(value)) : value)
  return JSON.parse(readFileSync(url, 'utf8'), revive) as Vectors
}

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

/** A value for a field of each type, often out of its range. */
const otherLeaf = fc.record({
  number: fc.oneof(
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
    fc.double(),
    fc.integer({ min: -1, max: 0x1_0000_0000 }),
    fc.nat({ max: 300 }),
  ),
  string: fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ maxLength: 60, minLength: 20 })),
  boolean: fc.boolean(),
  bytes: fc.uint8Array(),
})

/** The same data with one field, at any depth, replaced by another value of its type. */
function corrupted(data: unknown, path: readonly number[], by: Readonly<Record<string, unknown>>): unknown {
  if (data instanceof Uint8Array) return by['bytes']
  if (typeof data !== 'object' || data === null) return by[typeof data]
  const keys = Object.keys(data)
  const [step = 0, ...rest] = path
  const key = keys[step % keys.length]
  if (key === undefined) return data
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

/**
 * Checks all golden payloads, and what each command makes of values and bytes near them. Also checks that every command has one in each
 * direction, and that every status of every class has a refusal.
 */
export function describeVectors(commands: readonly AnyCommand[], vectors: Vectors): void {
  const named = (name: string): AnyCommand => {
    const command = commands.find((candidate) => candidate.name === name)
    if (command === undefined) throw new Error(`no command ${name}`)
    return command
  }
  const codeOf = (command: AnyCommand) => toHex(Uint8Array.of(command.classIdentifier, command.class, command.operation))

  describe('requests', () => {
    it.each(vectors.requests)('are encoded and decoded: $command: $title', ({ command, hex, value }) => {
      expect(hex.startsWith(codeOf(named(command)))).toBe(true)
      expect(toHex(encodeRequest(named(command), value))).toBe(hex)
      expect(decodeRequest(named(command), fromHex(hex))).toEqual(value)
    })

    it.each(vectors.toleratedRequests)('are accepted though never sent: $command: $title', ({ command, hex, value }) => {
      expect(decodeRequest(named(command), fromHex(hex))).toEqual(value)
      expect(thrown(() => encodeRequest(named(command), value))).toMatchObject({ name: 'SdbpError', fault: 'value' })
    })

    it.each(vectors.wrongRequests)('are refused: $command: $title', ({ command, hex, fault, field }) => {
      const error = thrown(() => decodeRequest(named(command), fromHex(hex)))
      expect(error).toBeInstanceOf(SdbpError)
      expect(error).toMatchObject({ fault, field })
    })
  })

  describe('replies', () => {
    it.each(vectors.replies)('are encoded and decoded: $command: $title', ({ command, hex, value }) => {
      expect(toHex(encodeResponse(named(command), value))).toBe(hex)
      expect(decodeResponse(named(command), fromHex(hex))).toEqual(value)
    })

    it.each(vectors.toleratedReplies)('are tolerated: $command: $title', ({ command, hex, value }) =>
      expect(decodeResponse(named(command), fromHex(hex))).toEqual(value),
    )

    it.each(vectors.wrongReplies)('are refused: $command: $title', ({ command, hex, fault, field }) => {
      const error = thrown(() => decodeResponse(named(command), fromHex(hex)))
      expect(error).toBeInstanceOf(SdbpError)
      expect(error).toMatchObject({ fault, field })
    })
  })

  describe('refusals', () => {
    it.each(vectors.refusals)('name their reason: $command: $status is $reason', ({ command, status, reason, hex }) => {
      expect(toHex(encodeRefusal(named(command), status))).toBe(hex)
      const error = thrown(() => decodeResponse(named(command), fromHex(hex)))
      expect(error).toBeInstanceOf(ModuleRefusal)
      expect(error).toMatchObject({ command, status, reason, fault: 'rejected' })
    })

    it.each(commands.filter(({ statuses, operation }) => statuses === undefined && operation !== ERROR_OPERATION))(
      'use ERROR (operation 1) if the command has no statuses: $name',
      (command) => {
        const hex = toHex(Uint8Array.of(command.classIdentifier, command.class, 1, 4))
        expect(toHex(encodeRefusal(command, 4))).toBe(hex)
        const error = thrown(() => decodeResponse(command, fromHex(hex)))
        expect(error).not.toBeInstanceOf(ModuleRefusal)
        expect(error).toMatchObject({ name: 'SdbpError', fault: 'rejected' })
      },
    )
  })

  describe('completeness of the vectors', () => {
    it.each(commands)('$name has a request, a reply, and a refusal if it can refuse', ({ name, statuses }) => {
      expect(vectors.requests.filter(({ command }) => command === name)).not.toEqual([])
      expect(vectors.replies.filter(({ command }) => command === name)).not.toEqual([])
      if (statuses !== undefined) expect(vectors.refusals.filter(({ command }) => command === name)).not.toEqual([])
    })

    it('every status of every class has a refusal, and no status is 0 (OK)', () => {
      const shown = new Set(vectors.refusals.map(({ command, status }) => `class ${named(command).class} status ${status}`))
      for (const { class: group, statuses } of commands) {
        for (const status of Object.keys(statuses ?? {})) {
          expect(Number(status)).not.toBe(STATUS_OK)
          expect(shown).toContain(`class ${group} status ${status}`)
        }
      }
    })
  })

  describe.each(commands.map((command) => ({ name: command.name, command })))('$name', ({ name, command }) => {
    const valuesIn = (payloads: readonly Payload[]) =>
      fc.constantFrom(...payloads.filter((one) => one.command === name)).map(({ value }) => value)
    const directions = [
      { of: 'request', values: valuesIn(vectors.requests), encode: encodeRequest, decode: decodeRequest },
      { of: 'reply', values: valuesIn(vectors.replies), encode: encodeResponse, decode: decodeResponse },
    ] as const

    it.each(directions)(
      '$of: refuses a value out of range with a value fault, and decodes whatever it encodes',
      ({ values, encode, decode }) =>
        fc.assert(
          fc.property(values, fc.array(fc.nat(), { maxLength: 3 }), otherLeaf, (value, path, by) => {
            const other = corrupted(value, path, by)
            const fault = faultOf(() => encode(command, other))
            expect(['none', 'value']).toContain(fault)
            if (fault === 'none') {
              const bytes = encode(command, other)
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
