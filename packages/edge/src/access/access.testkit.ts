import { type IncomingHttpHeaders, request } from 'node:http'
import { auditWrites, FileAuditLog } from '@slotwire/network'
import type { AppPage, ServedExtension } from '@slotwire/service'
import { onTestFinished } from 'vitest'
import { tokenOptions, tokenStore } from '../../../network/src/tokens/token-store.testkit.ts'
import { createToy, toyContract } from '../../../service/src/toy.testkit.ts'
import { listen } from '../door/door.ts'
import { loopbackAccess, networkAccess } from './access.ts'
import { FailedLogins } from './failed-logins.ts'

export const LEVEL = '/api/toy/1.0/3/level'
export const FEED = '/api/toy/1.0/3/feed'
export const MACHINE_ID = '0123456789abcdef0123456789abcdef'
export const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

/** The page for browsers. */
export const PAGE: AppPage = {
  html: Buffer.from('<!doctype html>\n'),
  files: new Map([['main.js', { type: 'text/javascript', load: async () => Buffer.from('start()\n') }]]),
}

export const STATUS = { stateFolder: '/srv/state' }

/** An `Authorization` header as clients send it. */
export const basic = (password: string, user = 'token') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

export interface TestRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Address of the client: any of 127.0.0.0/8. */
  readonly from?: string
}

export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request to a door over a new connection. */
export function ask(
  port: number,
  { method = 'GET', path = LEVEL, headers = {}, body, from = '127.0.0.1' }: TestRequest = {},
): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers }
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: typed, localAddress: from, agent: false },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (data) => (text += String(data)))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** A toy service with both doors, tokens and audit in its own state folder. Closed after the test. */
export async function openDoors(
  settings: {
    readonly proxies?: readonly string[]
    readonly corsOrigins?: readonly string[]
    readonly extensions?: readonly ServedExtension[]
    readonly benchFrom?: string
  } = {},
) {
  const { folder, clock, wallTime, log, store, dateIn } = tokenStore()
  const audit = new FileAuditLog({ folder, wallTime, log, clock })
  const onWrite = auditWrites(audit)
  const toy = await createToy({ log, onWrite, extensions: settings.extensions ?? [], page: async () => PAGE })
  const failures = new FailedLogins({ clock, log })
  const current = {
    proxies: settings.proxies ?? [],
    corsOrigins: settings.corsOrigins ?? [],
    paths: { machineId: '/machine-id', tlsCa: '/ca.pem' },
  }
  const resources = { paths: () => current.paths, machineId: () => MACHINE_ID, tlsCa: () => CA }
  const proxies = () => current.proxies
  const corsOrigins = () => current.corsOrigins
  const { benchFrom } = settings
  const options = { tokens: store, failures, resources, proxies, corsOrigins, contracts: [toyContract], onWrite, benchFrom }
  const open = async (checkAccess: ReturnType<typeof networkAccess>): Promise<number> => {
    const door = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { checkAccess })
    return door.address.port
  }
  const network = await open(networkAccess(options))
  const loopback = await open(loopbackAccess({ ...options, status: () => STATUS }))
  onTestFinished(async () => {
    await toy.service.close()
    store.close()
    audit.close()
  })
  return {
    folder,
    clock,
    log,
    store,
    dateIn,
    audit,
    failures,
    toy,
    settings: current,
    network,
    loopback,
    /** Text of a new token. */
    token: async (name: string, more: Parameters<typeof tokenOptions>[1] = {}) =>
      (await store.create(tokenOptions(name, more))).text,
    atNetwork: (question?: TestRequest) => ask(network, question),
    atLoopback: (question?: TestRequest) => ask(loopback, question),
  }
}
