import { coreErrors } from '@slotwire/core'
import { TLS_1_2_CIPHERS } from '@slotwire/edge'
import { defaultHttpLimits, errorAnswer } from '@slotwire/service'
import { describe, expect, it } from 'vitest'
import { caddyConfig, nginxConfig } from './proxy-config.ts'

const { bodyBytes, headerBytes } = defaultHttpLimits
/** Errors that a proxy may send itself, with the service's messages. */
const ERRORS = [
  coreErrors.malformedRequest({ reason: 'it must be HTTP/1.1, and leave no doubt about its headers and its length' }),
  coreErrors.malformedRequest({ reason: 'this port uses TLS: use https' }),
  coreErrors.notFound(),
  coreErrors.methodNotAllowed({ method: 'this method', allowed: 'GET, HEAD or POST' }),
  coreErrors.requestTimeout({ part: 'its headers', seconds: 10 }),
  coreErrors.bodyTooLarge({ limit: bodyBytes }),
  coreErrors.headersTooLarge({ limit: headerBytes }),
  coreErrors.internal(),
  coreErrors.serviceUnreachable({ service: 'slotwire' }),
  coreErrors.serviceAnswerLost({ service: 'slotwire' }),
].map((error) => `${error.code} ${String(errorAnswer(error).body).trimEnd()}`)

const PLAN = {
  listen: ['0.0.0.0'],
  httpsPort: 443,
  httpPort: 80,
  certificateFile: '/state/tls/server.pem',
  loopbackPort: 8080,
  paths: { machineId: '/machine-id', tlsCa: '/ca.pem' },
  accessLog: '/var/log/slotwire.log',
}

describe.each([
  ['nginx', nginxConfig(PLAN), 10],
  ['Caddy', caddyConfig(PLAN), 5],
])('the file of %s', (_, text, count) => {
  it('sends the codes and bodies of the service', () => {
    const sent = [...text.matchAll(/(?:set \$slotwire_error|header Slotwire-Error) ([a-z-]+)[^{]*(\{"status".*?\})/g)]
    const errors = sent.map(([, code, body]) => `${code} ${body}`)
    expect(errors).toHaveLength(count)
    expect(errors.filter((error) => !ERRORS.includes(error))).toEqual([])
  })

  it('accepts the ciphers of the network door', () => {
    const [, list = ''] = /ciphers (.*?);?$/m.exec(text) ?? []
    const names = list.split(/[: ]/).map((name) =>
      name
        .replace(/^TLS_|_SHA256$(?<=POLY1305_SHA256)/g, '')
        .replace(/WITH_(AES)_/, '$1')
        .replace('WITH_', '')
        .replaceAll('_', '-'),
    )
    expect(names).toEqual(TLS_1_2_CIPHERS)
  })

  it('has no placeholder left', () => expect(text).not.toMatch(/@[A-Z_]+@/))
})
