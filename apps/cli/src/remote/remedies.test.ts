import { readFileSync } from 'node:fs'
import { remedies as published } from '@slotwire/bridge'
import { ClientError, inWordsOf } from '@slotwire/client'
import { expect, it } from 'vitest'
import { inRoot } from '../../../../tools/setup/root.mjs'
import { remedies as typed } from './with-device.ts'

const REQUEST = /\b(GET|POST|PUT|DELETE) |Slotwire-|If-Match|Bearer|root of each service/
/** Code and message of each row of the table, which is that of the declared errors. */
const rows = [...readFileSync(inRoot('docs', 'errors.md'), 'utf8').matchAll(/^\| `([^`]+)` \| \d{3} \| `([^`]+)` \|/gm)]
const forRequests = rows.filter(([, code = '', message = '']) => REQUEST.test(message) && !code.startsWith('bench-'))

it.each(forRequests.map(([, code = '', message = '']) => ({ code, message })))(
  'an error whose remedy is a request $code: has a remedy of the command line and of MQTT',
  ({ code, message }) => {
    for (const remedies of [typed, published]) {
      const text = inWordsOf(remedies, new ClientError(`POST /api: ${message}`, { kind: 'refused', code, request: 'POST /api' }))
      expect(text).not.toMatch(REQUEST)
      expect(text).toContain(message.slice(0, message.lastIndexOf(': ')))
    }
  },
)
