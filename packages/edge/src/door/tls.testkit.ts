import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { TcpNetConnectOpts } from 'node:net'
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import type { ServerCertificate } from './listener-policy.ts'

const run = promisify(execFile)

/** Creates a self-signed certificate for localhost and 127.0.0.1 with openssl. The common name identifies it. */
export async function makeCertificate(openssl: string, commonName: string): Promise<ServerCertificate> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', '-']
  const names = ['-subj', `/CN=${commonName}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const { stdout } = await run(openssl, ['req', '-x509', '-days', '2', ...key, ...names, '-out', '-'])
  const part = (label: string): string => {
    const found = new RegExp(`-----BEGIN ${label}-----[^-]*-----END ${label}-----\n`).exec(stdout)?.[0]
    if (found === undefined) throw new Error(`openssl made no ${label}: ${stdout}`)
    return found
  }
  return { cert: part('CERTIFICATE'), key: part('PRIVATE KEY') }
}

/** Opens a TLS connection; by default it accepts every certificate. Rejects if the handshake fails. */
export async function dialTls(
  port: number,
  options: ConnectionOptions & Pick<TcpNetConnectOpts, 'localAddress'> = {},
): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** Common name of the presented certificate; undefined for a resumed session, in which none is presented. */
export function presentedName(socket: TLSSocket): string | undefined {
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>
  return [subject?.CN].flat()[0]
}
