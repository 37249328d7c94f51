import { readFileSync } from 'node:fs'
import { ClientError } from '@slotwire/client'
import { expect, it } from 'vitest'
import { reasonOf } from '../store/reason.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** A request, as programs write it. */
const REQUEST = /\b(GET|POST|PUT|DELETE)\b|If-Match|Slotwire-/
/** No control of the console causes these. */
const ELSEWHERE = ['lease-secret-missing', 'auth-request-unclear']
const table = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
const rows = [...table.matchAll(/^\| `([\w-]+)` \| (\d+) \| `(.*?)` \|/gm)].map(([, name = '', status, message = '']) => {
  const error = new ClientError(`POST /api/io/1.0/3/output/state: ${message}`, {
    kind: 'refused',
    code: name,
    status: Number(status),
  })
  return { name, error }
})

it('the console says each error of the API without speaking of requests', () => {
  const told = rows.filter(({ name }) => !ELSEWHERE.includes(name)).map(({ error }) => reasonOf(error))
  expect(told.length).toBeGreaterThan(80)
  for (const { error } of [en, de]) expect(told.map(error).filter((text) => REQUEST.test(text))).toEqual([])
  const named = ({ error }: typeof en): readonly string[] => told.filter((reason) => error(reason) !== reason)
  expect(named(de)).toEqual(named(en))
})
