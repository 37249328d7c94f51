import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AnyCommand } from './command.ts'
import { decodeRequest, decodeResponse, encodeRefusal, encodeRequest, encodeResponse, STATUS_OK } from './command.ts'
import { ModuleRefusal, SdbpError } from './errors.ts'
import { fromHex, toHex } from './hex.testkit.ts'

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

/** Reads a `vectors.json`. */
export function readVectors(url: URL): Vectors {
  return JSON.parse(readFileSync(url, 'utf8')) as Vectors
}

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

/**
 * Checks all golden payloads. Also checks that every command has one in each direction, and that every status of every class has a refusal.
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

    it.each(commands.filter(({ statuses }) => statuses === undefined))(
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
}
