import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { ManualClock, SystemClock, silentLog, systemRandom, systemWallTime } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import type { OpenDoor } from '@slotwire/edge'
import { FailedLogins, listen, loopbackAccess, networkAccess } from '@slotwire/edge'
import { CertificateStore, Certificates, certificatesFolder, TokenStore } from '@slotwire/network'
import type { HttpLimits } from '@slotwire/service'
import { dial, readToEnd } from '../../packages/edge/src/door/socket.testkit.ts'
import { dialTls } from '../../packages/edge/src/door/tls.testkit.ts'
import { Device } from '../device/device.testkit.ts'
import { worlds } from '../device/worlds.testkit.ts'

export type DoorName = 'loopback' | 'network'

const MACHINE_ID = '0123456789abcdef0123456789abcdef'
const NAMES = { hosts: ['localhost'], addresses: ['127.0.0.1'] }

/** Both doors of one served device, on real sockets. */
export class HostileDoors {
  readonly device: Device
  readonly tokens: TokenStore
  /** Texts of the two tokens. */
  full = ''
  readOnly = ''
  readonly #folder = mkdtempSync(join(tmpdir(), 'slotwire hostile '))
  readonly #certificateClock = new SystemClock()
  readonly #failures = new FailedLogins({ clock: new ManualClock(), log: silentLog })
  #certificates: Certificates | undefined
  #doors: Readonly<Record<DoorName, OpenDoor>> | undefined
  /** Each conversation uses a separate address, so that wrong tokens in one do not count against another. */
  #address = 0

  constructor(limits: Partial<HttpLimits> = {}) {
    const [world] = worlds
    if (world === undefined) throw new Error('there is no world')
    this.device = new Device({ limits }, world)
    const clock = new ManualClock()
    this.tokens = new TokenStore({ folder: this.#folder, clock, wallTime: systemWallTime, random: systemRandom, log: silentLog })
  }

  async open(): Promise<void> {
    await this.device.start()
    const wish = { services: undefined, expires: undefined }
    this.full = (await this.tokens.create({ ...wish, name: 'full', readOnly: false })).text
    this.readOnly = (await this.tokens.create({ ...wish, name: 'reader', readOnly: true })).text
    this.#certificates = await Certificates.open({
      folder: certificatesFolder(this.#folder),
      wallTime: systemWallTime,
      clock: this.#certificateClock,
      log: silentLog,
      deviceName: 'hostile',
    })
    const { cert, key } = await this.#certificates.use(NAMES)
    const resources = {
      paths: () => ({ machineId: '/machine-id', tlsCa: '/ca.pem' }),
      machineId: () => `${MACHINE_ID}\n`,
      tlsCa: () => this.#certificates?.authorityPem,
    }
    const contracts = allServices.map(({ contract }) => contract)
    const options = {
      tokens: this.tokens,
      failures: this.#failures,
      proxies: () => [],
      corsOrigins: () => [],
      resources,
      contracts,
    }
    const at = { host: '127.0.0.1', port: 0 }
    this.#doors = {
      loopback: await listen(this.device.service, at, { checkAccess: loopbackAccess({ ...options, status: () => ({}) }) }),
      network: await listen(this.device.service, at, { checkAccess: networkAccess(options), tls: { cert, key } }),
    }
  }

  async close(): Promise<void> {
    await this.#certificates?.close()
    await this.device.close()
    this.tokens.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  port(door: DoorName): number {
    const open = this.#doors?.[door]
    if (open === undefined) throw new Error('the doors are closed')
    return open.address.port
  }

  /** Renews the server certificate and presents the new one. */
  async renew(): Promise<void> {
    const { material } = await new CertificateStore(certificatesFolder(this.#folder)).renew(systemWallTime())
    this.#doors?.network.renewCertificate(material)
  }

  dialTls(): Promise<TLSSocket> {
    return dialTls(this.port('network'), { localAddress: this.#nextAddress() })
  }

  /** Sends bytes to a door; resolves with everything it answers until it ends the connection. */
  async talk(door: DoorName, bytes: string | Buffer): Promise<string> {
    const socket = door === 'network' ? await this.dialTls() : await dial(this.port(door), { localAddress: this.#nextAddress() })
    socket.write(bytes)
    return readToEnd(socket)
  }

  #nextAddress(): string {
    this.#address++
    return `127.1.${this.#address >> 8}.${this.#address & 255}`
  }
}
