import { expect, it } from 'vitest'
import { preferredType } from './static-content.ts'

it.each([
  [undefined, 'text/event-stream'],
  ['', 'text/event-stream'],
  ['*/*', 'text/event-stream'],
  ['text/plain', 'text/event-stream'],
  ['application/json', 'application/json'],
  ['Application/JSON; charset=utf-8', 'application/json'],
  ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
  ['text/event-stream;q=0.5, application/json', 'application/json'],
  ['application/json;q=0, */*', 'text/event-stream'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/json, text/event-stream', 'application/json'],
  ['text/*;q=0.1, application/*;v=1;Q=0.2', 'application/json'],
  ['application/json-seq', 'text/event-stream'],
])('Accept %j prefers %s', (accept, type) => {
  expect(preferredType(accept, ['text/event-stream', 'application/json'])).toBe(type)
})
