import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { coreErrors, errorDefinitions, SlotwireError } from '@slotwire/core'
import { powerBudgetErrors } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'
import { leaseErrors } from '@slotwire/events'
import { errorAnswer } from '@slotwire/service'
import { benchErrors } from '@slotwire/twin'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly retryable: boolean
}

const MODULES = new URL('../../modules/', import.meta.url)
const HEADER = '| code | status | message | retryable | what to do |'
const ROW = /^\| `([^`]+)` \| (\d{3}) \| `([^`]+)` \| (yes|no) \| (.*\S) \|$/

/** The rows of the table in docs/errors.md, without its two header lines. */
function tableLines(): string[] {
  const lines = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8').split('\n')
  const start = lines.indexOf(HEADER)
  expect(start).toBeGreaterThan(0)
  const rest = lines.slice(start + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, end)
}

function rowOf(line: string): Row & { advice: string } {
  const [, code, status, message, retryable, advice] = ROW.exec(line) ?? []
  if (code === undefined || message === undefined || advice === undefined) throw new Error(`not a row of five columns: ${line}`)
  return { code, status: Number(status), message: message.replaceAll('\\|', '|'), retryable: retryable === 'yes', advice }
}

const documented = tableLines().map(rowOf)
const engine = [coreErrors, powerBudgetErrors, powerManagerErrors, leaseErrors, benchErrors].flatMap((table) =>
  errorDefinitions(table),
)
/** The tables of the module types, in their `errors.ts` if they have one. */
const ofModules = await Promise.all(
  readdirSync(MODULES).map(async (folder) => {
    const file = new URL(`${folder}/errors.ts`, MODULES)
    if (!existsSync(file)) return []
    const tables = (await import(file.href)) as Readonly<Record<string, Parameters<typeof errorDefinitions>[0]>>
    return Object.values(tables).flatMap((table) => errorDefinitions(table))
  }),
)
const definitions = [...engine, ...ofModules.flat()]

describe('docs/errors.md', () => {
  it('has a row for every error, and no other row', () =>
    expect(documented.map(({ code }) => code).sort(), 'add or remove rows of docs/errors.md').toEqual(
      definitions.map(({ code }) => code).sort(),
    ))

  it.each(definitions)('$code: has the status, message and retryable flag of the code', (definition) => {
    const { code, status, message, retryable } = documented.find((row) => row.code === definition.code) ?? {}
    expect(definition).toMatchObject({ code, status, message, retryable })
  })

  it('is sorted by status', () => {
    const statuses = documented.map(({ status }) => status)
    expect(statuses).toEqual([...statuses].sort((left, right) => left - right))
  })
})

it.each(definitions)(
  'the answer with an error has the name $code in its header, and a body that ends with a newline',
  (definition) => {
    const { status, headers, body } = errorAnswer(new SlotwireError(definition, definition.message))
    expect([status, headers['slotwire-error']]).toEqual([definition.status, definition.code])
    expect(body).toMatch(/^\{.*\}\n$/)
  },
)

describe('the error tables', () => {
  it('have a different code for every error', () => {
    const codes = definitions.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('use only the statuses of the status table', () => {
    const statuses = new Set(definitions.map(({ status }) => status))
    expect([400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 423, 429, 431, 500, 502, 503]).toEqual(
      expect.arrayContaining([...statuses]),
    )
  })
})
