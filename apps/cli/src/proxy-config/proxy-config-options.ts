import { isIP } from 'node:net'
import { InvalidArgumentError, Option } from 'commander'

const HIGHEST_PORT = 65_535
const OFF = 'off'

/** What `slotwire proxy-config` was told, checked. What is undefined is as the settings say, or as is usual. */
export interface ProxyConfigOptions {
  readonly state?: string
  /** Of the service's loopback door. */
  readonly port?: number
  /** Where the proxy listens. */
  readonly listen?: readonly string[]
  readonly httpsPort?: number
  readonly httpPort?: number | typeof OFF
  /** A file, or `off`. */
  readonly accessLog?: string
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > HIGHEST_PORT)
    throw new InvalidArgumentError(`a whole number from 1 to ${HIGHEST_PORT}.`)
  return port
}

function collectAddress(text: string, before: readonly string[] = []): readonly string[] {
  if (isIP(text) === 0) throw new InvalidArgumentError('an IP address of this machine; 0.0.0.0 and :: stand for all of them.')
  return [...new Set([...before, text])]
}

function parseFile(text: string): string {
  if (text !== OFF && !text.startsWith('/'))
    throw new InvalidArgumentError('a whole path, like /var/log/nginx/slotwire.log, or off.')
  return text
}

/** The options of the command, without `--state`. */
export const proxyConfigOptions: readonly Option[] = [
  new Option('--listen <address>', 'where the proxy listens; more than once; everywhere if not given').argParser(collectAddress),
  new Option('--https-port <number>', 'its port for HTTPS; as in the settings if not given').argParser(parsePort),
  new Option('--http-port <number>', 'its port for plain HTTP, or off; as in the settings if not given').argParser((text) =>
    text === OFF ? OFF : parsePort(text),
  ),
  new Option('--port <number>', 'port of the service for this machine, if it was started with --port').argParser(parsePort),
  new Option('--access-log <file>', 'where the proxy logs requests, or off').argParser(parseFile),
]
