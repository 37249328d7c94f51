import { readFileSync } from 'node:fs'
import type { OpenPaths } from '@slotwire/edge'
import { ANY_ADDRESS, ANY_IPV4 } from './network-doors.ts'
import { OperatorError } from './operator-error.ts'

/** Configuration of a proxy in front of the service. */
export interface ProxyPlan {
  /** IP addresses to listen on; `0.0.0.0` and `::` are all addresses of a family. */
  readonly listen: readonly string[]
  readonly httpsPort: number
  /** Plain HTTP port; undefined: off. */
  readonly httpPort: number | undefined
  /** PEM with the server's key and certificate, then the intermediate ones. */
  readonly certificateFile: string
  /** Port of the service's loopback door. */
  readonly loopbackPort: number
  /** Paths that need no credentials. */
  readonly paths: OpenPaths
  /** File for the log of requests; undefined: no log. */
  readonly accessLog: string | undefined
}

const NGINX = new URL('../../../packaging/proxy/nginx.conf', import.meta.url)
const CADDY = new URL('../../../packaging/proxy/slotwire.caddyfile', import.meta.url)

/** Characters that have another meaning in quotes in one of the configuration languages. */
const UNQUOTABLE = /["'`\\${}\p{Cc}]/u

/** A file for the `http` part of an nginx configuration: a server with the same rules as the network door. Throws `OperatorError`. */
export function nginxConfig(plan: ProxyPlan): string {
  const { listen, httpsPort, httpPort, accessLog } = plan
  // `::` alone includes IPv4, as for the service.
  const all = listen.includes(ANY_IPV4) ? ' ipv6only=on' : ' ipv6only=off'
  const at = (port: number | undefined, kind: string): readonly string[] =>
    listen.map((address) => `listen ${bracketed(address)}:${port}${kind} default_server${address === ANY_ADDRESS ? all : ''};`)
  return filled(NGINX, plan, {
    LISTEN: [...at(httpsPort, ' ssl'), ...(httpPort === undefined ? [] : at(httpPort, ''))].join('\n    '),
    ACCESS_LOG: accessLog === undefined ? 'off' : `"${plain(accessLog)}" slotwire`,
  })
}

/** A Caddyfile with the same rules as the network door. Throws `OperatorError`. */
export function caddyConfig(plan: ProxyPlan): string {
  const { listen, httpsPort, httpPort, accessLog } = plan
  // At `::` Go also listens on IPv4, and cannot share the port with another listener.
  const addresses = listen.includes(ANY_ADDRESS) ? listen.filter((address) => address !== ANY_IPV4) : listen
  const bind = addresses.map(bracketed).join(' ')
  return filled(CADDY, plan, {
    HTTPS_PORT: String(httpsPort),
    BIND: bind,
    HTTP_SITE: httpPort === undefined ? '' : `\nhttp://:${httpPort} {\n\tbind ${bind}\n\timport slotwire\n}\n`,
    ACCESS_LOG: accessLog === undefined ? 'discard' : `file "${plain(accessLog)}"`,
  })
}

/** The file of a proxy with the values of the plan at its placeholders: `@PORT@`. */
function filled(file: URL, { certificateFile, loopbackPort, paths }: ProxyPlan, own: Readonly<Record<string, string>>): string {
  const values: Readonly<Record<string, string>> = {
    CERTIFICATE: plain(certificateFile),
    PORT: String(loopbackPort),
    MACHINE_ID: plain(paths.machineId),
    TLS_CA: plain(paths.tlsCa),
    ...own,
  }
  return readFileSync(file, 'utf8').replace(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? '')
}

/** An address in the form for URLs. */
function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}

/** A path that means itself in quotes, in both languages. Throws `OperatorError`. */
function plain(path: string): string {
  if (!UNQUOTABLE.test(path)) return path
  throw new OperatorError(
    `the path ${JSON.stringify(path)} cannot be used in a proxy's configuration: choose one without quotes, $, braces and backslashes`,
  )
}
