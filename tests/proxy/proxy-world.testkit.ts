import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock, SystemClock, silentLog, systemRandom, systemWallTime } from '@slotwire/core'
import { FailedLogins, listen, loopbackAccess, networkAccess, type OpenDoor } from '@slotwire/edge'
import { auditWrites, Certificates, certificatesFolder, FileAuditLog, TokenStore } from '@slotwire/network'
import type { AppPage } from '@slotwire/service'
import * as contracts from '../../modules/contracts.ts'
import { Device } from '../device/device.testkit.ts'
import { worlds } from '../device/worlds.testkit.ts'

const LOOPBACK = '127.0.0.1'
export const MACHINE_ID = '0123456789abcdef0123456789abcdef'
export const OPEN_PATHS = { machineId: '/machine-id', tlsCa: '/ca.pem' }

/** The page for browsers. */
export const PAGE: AppPage = {
  html: Buffer.from('<!doctype html>\n<title>Console</title>\n'),
  files: new Map([['main.js', { type: 'text/javascript', load: async () => Buffer.from('start()\n') }]]),
}

/** Certificates for `localhost` in a state folder. */
export async function certify(folder: string): Promise<Certificates> {
  const certificates = await Certificates.open({
    folder: certificatesFolder(folder),
    deviceName: 'line-3 01234567',
    clock: new ManualClock(),
    wallTime: systemWallTime,
    log: silentLog,
  })
  await certificates.use({ hosts: ['localhost'], addresses: [LOOPBACK] })
  return certificates
}

/** PEM file with key and certificates. */
export function certificateFile(folder: string): string {
  return join(certificatesFolder(folder), 'server.pem')
}

/** One line of the audit log. */
export interface AuditedWrite {
  readonly who: string
  readonly address: string
  readonly what: { readonly method: string; readonly path: string; readonly body?: unknown }
  readonly result: number
}

/** A device with all its services. Proxies forward to its loopback door. */
export interface ProxyWorld {
  readonly device: Device
  /** Port of the loopback door. */
  readonly port: number
  /** Closes the loopback door. */
  stop(): Promise<void>
  /** Opens it again at the same port. */
  restart(): Promise<void>
  readonly tokens: TokenStore
  readonly certificates: Certificates
  /** PEM file with key and certificates. */
  readonly certificateFile: string
  /** The clock for failed logins. */
  readonly loginClock: ManualClock
  /** Addresses of trusted proxies; by default this machine's. */
  proxies: readonly string[]
  /** Moves the date for the expiry of tokens. */
  advanceDate(ms: number): void
  audited(): readonly AuditedWrite[]
  /** Opens the built-in network door, with TLS and without. */
  openNetworkDoor(): Promise<{ readonly https: number; readonly http: number }>
  close(): Promise<void>
}

export async function openProxyWorld(): Promise<ProxyWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire proxy '))
  const clock = new SystemClock()
  let dateMs = Date.parse('2027-01-01T00:00:00Z')
  const wallTime = (): number => dateMs
  const certificates = await certify(folder)
  const tokens = new TokenStore({ folder, clock, wallTime, random: systemRandom, log: silentLog })
  const loginClock = new ManualClock()
  const access = {
    tokens,
    failures: new FailedLogins({ clock: loginClock, log: silentLog }),
    resources: { paths: () => OPEN_PATHS, machineId: () => `${MACHINE_ID}\n`, tlsCa: () => certificates.authorityPem },
    proxies: () => world.proxies,
    corsOrigins: () => [],
    contracts: Object.values(contracts),
  }
  const [kind] = worlds
  if (kind === undefined) throw new Error('there is no world')
  const onWrite = auditWrites(new FileAuditLog({ folder, wallTime, log: silentLog }))
  const device = new Device({ page: async () => PAGE, onWrite }, kind)
  await device.start()
  const policy = { checkAccess: loopbackAccess({ ...access, status: () => ({}) }) }
  const open = (port: number): Promise<OpenDoor> => listen(device.service, { host: LOOPBACK, port }, policy)
  let door = await open(0)
  const { port } = door.address
  const world: ProxyWorld = {
    device,
    port,
    stop: async () => {
      await Promise.all([door.close(), device.advance(2000)])
    },
    restart: async () => {
      door = await open(port)
    },
    tokens,
    certificates,
    certificateFile: certificateFile(folder),
    loginClock,
    proxies: [LOOPBACK],
    advanceDate: (ms) => {
      dateMs += ms
    },
    audited: () => {
      const file = join(folder, 'audit', 'writes.jsonl')
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
      return lines.map((line) => JSON.parse(line) as AuditedWrite)
    },
    openNetworkDoor: async () => {
      const network = { checkAccess: networkAccess(access) }
      const { current } = certificates
      if (current === undefined) throw new Error('there is no certificate')
      const at = { host: LOOPBACK, port: 0 }
      const secure = await listen(device.service, at, { ...network, tls: current })
      const plain = await listen(device.service, at, network)
      return { https: secure.address.port, http: plain.address.port }
    },
    close: async () => {
      await device.close()
      await certificates.close()
      tokens.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}
