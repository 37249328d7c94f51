import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { systemWallTime } from '@slotwire/core'
import { onTestFinished } from 'vitest'
import { device } from '../../../../packages/network/src/certificates/certificates.testkit.ts'

/** A TLS server with an authority of its own. It answers `/ca.pem` with `caFile`, and other paths with nothing. */
export async function tlsServer({
  hosts = [] as string[],
  addresses = ['127.0.0.1'],
  caFile = (authority: string) => authority,
} = {}) {
  const { certificates } = await device({ date: systemWallTime() })
  await certificates.use(() => ({ hosts, addresses }))
  const current = certificates.current ?? {}
  const authority = certificates.authorityPem
  const server = createServer(current, (request, response) => {
    response.end(request.url === '/ca.pem' ? caFile(authority) : '')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, authority }
}
