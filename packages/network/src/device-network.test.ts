import { X509Certificate } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, nextTurn, silentLog, systemWallTime } from '@slotwire/core'
import type { ListenerPolicy, OpenDoor } from '@slotwire/edge'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { certificateExtension } from './certificate-extension.ts'
import { DeviceNetwork } from './device-network.ts'
import type { Announcement, Announcer } from './discovery/announcement.ts'
import { interfaceInfo } from './interface-info.testkit.ts'
import type { NetworkInterfaces } from './network-doors.ts'
import { DEFAULT_SETTINGS, type Settings } from './settings/settings.ts'

const REQUEST = [
  { body: {}, parameters: {} },
  { caller: undefined, headers: {} },
] as const
const SERVICES = [{ name: 'io-module', path: '/api/io/' }]

let folder: string
let avahiFolder: string
let clock: ManualClock
let interfaces: NetworkInterfaces
let presented: string[]
let announcers: FakeAnnouncer[]
let taken: Set<number>
let opened: DeviceNetwork | undefined
beforeEach(() => {
  folder = temporaryFolder()
  avahiFolder = join(folder, 'avahi')
  mkdirSync(avahiFolder)
  clock = new ManualClock()
  interfaces = { lo: [interfaceInfo('127.0.0.1')], eth0: [interfaceInfo('10.0.0.5')] }
  presented = []
  announcers = []
  hasRival = false
  taken = new Set()
})
afterEach(async () => {
  await opened?.close()
  expect(clock.pending).toBe(0)
})

/** Set: another host claims every name, so that no announcement succeeds. */
let hasRival: boolean

class FakeAnnouncer implements Announcer {
  hostName = 'press-4'
  isStale = false
  #end: () => void = () => undefined
  readonly announced: Announcement[] = []
  closed = false

  constructor(private readonly onRenamed: (hostName: string) => void) {}

  rename(hostName: string): void {
    this.hostName = hostName
    this.onRenamed(hostName)
  }

  async announce(announcement: Announcement): Promise<void> {
    if (hasRival) {
      await new Promise<void>((resolve) => {
        this.#end = resolve
      })
      return
    }
    this.announced.push(announcement)
  }
  async close(): Promise<void> {
    this.closed = true
    this.#end()
  }
}

const service = {
  listen: async ({ host, port }: { host: string; port: number }, { tls }: ListenerPolicy = {}): Promise<OpenDoor> => {
    if (taken.has(port)) throw new Error('taken')
    if (tls !== undefined) presented.push(String(tls.cert))
    return {
      address: { address: host, family: 'IPv4', port },
      renewCertificate: ({ cert }) => presented.push(cert),
      close: async () => undefined,
    }
  },
}

async function open(settings: Partial<Settings>): Promise<DeviceNetwork> {
  opened = make(settings)
  expect(await opened.open(service.listen, {})).toEqual([])
  if (!hasRival) await opened.announce()
  return opened
}

async function openAnyway(settings: Partial<Settings>): Promise<DeviceNetwork> {
  const made = make(settings)
  expect(await made.open(service.listen, {})).toHaveLength(1)
  await made.announce()
  return made
}

function make(settings: Partial<Settings>): DeviceNetwork {
  return new DeviceNetwork(
    {
      folder,
      machineId: '0123456789abcdef0123456789abcdef',
      services: SERVICES,
      avahiFolder,
      network: { interfaces: () => interfaces, hostName: () => 'press-4' },
      clock,
      wallTime: systemWallTime,
      log: silentLog,
      audit: { add: () => undefined },
      makeAnnouncer: async (_kind, onRenamed) => {
        const announcer = new FakeAnnouncer(onRenamed)
        announcers.push(announcer)
        return announcer
      },
    },
    { ...DEFAULT_SETTINGS, ...settings },
  )
}

const namesOf = (chain: string | undefined): string => new X509Certificate(chain ?? '').subjectAltName ?? ''

describe('DeviceNetwork', () => {
  it('has no door and no certificate and announces nothing without listen addresses', async () => {
    const closed = await open({})
    expect([closed.listening, closed.certificates, announcers]).toEqual([[], undefined, []])
  })

  it('creates certificates for a proxy even without an own door', async () => {
    const behind = await open({ proxies: ['127.0.0.1'] })
    expect(behind.listening).toEqual([])
    expect(behind.certificates?.authorityPem).toContain('BEGIN CERTIFICATE')
  })

  it('shows callers its certificates, and where to download the authority', async () => {
    const show = (of: DeviceNetwork) => certificateExtension(of).handlers['showCertificates']?.(...REQUEST) as object
    expect(show(await open({ tlsCaPath: '/our-ca' }))).toEqual({ ca_path: '/our-ca' })
    await opened?.close()
    const behind = await open({ proxies: ['127.0.0.1'] })
    const { fingerprint256, validTo } = new X509Certificate(behind.certificates?.authorityPem ?? '')
    const dates = { valid_from: expect.any(String) as string, days_left: expect.any(Number) as number }
    expect(show(behind)).toMatchObject({
      ca_path: '/ca.pem',
      source: 'own',
      authority: { ...dates, fingerprint: fingerprint256, valid_until: new Date(validTo).toISOString() },
      server: { ...dates, names: expect.arrayContaining(['press-4', '10.0.0.5']) as string[] },
    })
  })

  it('announces open doors at the addresses that other hosts can reach', async () => {
    await open({ listen: ['0.0.0.0'], httpsPort: 443, httpPort: 80, vendor: 'Example' })
    expect(announcers[0]?.announced).toEqual([
      {
        hostName: 'press-4',
        vendor: 'Example',
        services: SERVICES,
        doors: [
          { scheme: 'https', port: 443 },
          { scheme: 'http', port: 80 },
        ],
        addresses: ['10.0.0.5'],
        machineIdPath: '/machine-id',
        tlsCaPath: '/ca.pem',
      },
    ])
  })

  it('announces nothing while files of other programs in avahi’s folder do, and discovery is auto', async () => {
    const file = join(avahiFolder, 'power.service')
    writeFileSync(file, `<txt-record>${SERVICES[0]?.name}</txt-record>`)
    writeFileSync(join(avahiFolder, 'slotwire-own.service'), String(SERVICES[0]?.name))
    const silent = await open({ listen: ['0.0.0.0'] })
    expect(announcers).toEqual([])
    rmSync(file)
    await clock.advance(60_000)
    await expect.poll(() => announcers).toHaveLength(1)
    writeFileSync(file, String(SERVICES[0]?.name))
    await clock.advance(60_000)
    await expect.poll(() => announcers[0]?.closed).toBe(true)
    await silent.apply({ ...silent.settings, discovery: 'own' })
    await silent.announce()
    expect(announcers).toHaveLength(2)
  })

  it('announces no loopback doors', async () => {
    await open({ listen: ['127.0.0.1'] })
    expect(announcers).toEqual([])
  })

  it('presents a certificate for the new name after another host took the old one', async () => {
    await open({ listen: ['0.0.0.0'] })
    expect(namesOf(presented.at(-1))).toContain('DNS:press-4.local')
    announcers[0]?.rename('press-4-2')
    await expect.poll(() => namesOf(presented.at(-1))).toContain('DNS:press-4-2.local')
  })

  it('updates announcement and certificate within a minute of a new address', async () => {
    await open({ listen: ['0.0.0.0'] })
    interfaces = { ...interfaces, eth1: [interfaceInfo('192.168.1.5')] }
    await clock.advance(60_000)
    await expect.poll(() => namesOf(presented.at(-1))).toContain('IP Address:192.168.1.5')
    expect(announcers[0]?.announced.at(-1)?.addresses).toEqual(['10.0.0.5', '192.168.1.5'])
    await clock.advance(60_000)
    expect(announcers[0]?.announced).toHaveLength(2)
  })

  it('announces again when the networks of its announcement changed, and always on request', async () => {
    const moving = await open({ listen: ['0.0.0.0'] })
    const [first] = announcers
    if (first === undefined) throw new Error('nothing is announced')
    await clock.advance(60_000)
    expect(first.announced).toHaveLength(1)
    first.isStale = true
    await clock.advance(60_000)
    expect(first.announced).toHaveLength(2)
    await moving.announce()
    expect([first.closed, announcers.at(-1)?.announced]).toEqual([true, [first.announced[0]]])
  })

  it('applies new settings: another announcer, other doors, no doors', async () => {
    const changing = await open({ listen: ['10.0.0.5'], discovery: 'own' })
    await changing.apply({ ...DEFAULT_SETTINGS, listen: ['10.0.0.5'], httpsPort: 8443, discovery: 'avahi' })
    await changing.announce()
    expect([announcers[0]?.closed, announcers[1]?.announced[0]?.doors]).toEqual([true, [{ scheme: 'https', port: 8443 }]])
    await changing.apply(DEFAULT_SETTINGS)
    await changing.announce()
    expect([changing.listening, announcers[1]?.closed]).toEqual([[], true])
  })

  it('keeps serving while another host claims every name', async () => {
    hasRival = true
    const contested = await open({ listen: ['10.0.0.5'] })
    const announced = contested.announce()
    await clock.advance(5000)
    await announced
    expect(await contested.apply({ ...DEFAULT_SETTINGS, listen: ['10.0.0.6'] })).toEqual([])
    expect(contested.listening.map(({ host }) => host)).toEqual(['10.0.0.6'])
    hasRival = false
    interfaces = { eth0: [interfaceInfo('10.0.0.6')] }
    await contested.announce()
    expect(announcers.at(-1)?.announced.at(-1)?.addresses).toEqual(['10.0.0.6'])
    hasRival = true
    await contested.apply({ ...DEFAULT_SETTINGS, listen: ['10.0.0.6'], vendor: 'Example' })
    void contested.announce()
    await nextTurn()
    await contested.close()
    expect(announcers.every(({ closed }) => closed)).toBe(true)
  })

  it('opens the doors of new settings even without a certificate for the new names', async () => {
    const changing = await open({ listen: ['10.0.0.5'] })
    const names = Array.from({ length: 101 }, (_, index) => `n${index}.example`)
    await expect(changing.apply({ ...DEFAULT_SETTINGS, listen: ['10.0.0.6'], names })).rejects.toThrow('too many')
    expect(changing.listening.map(({ host }) => host)).toEqual(['10.0.0.6'])
  })

  it('tries to open a failed door again after a minute', async () => {
    taken.add(443)
    opened = await openAnyway({ listen: ['10.0.0.5'] })
    expect(opened.listening).toEqual([])
    taken.clear()
    await clock.advance(60_000)
    await expect.poll(() => opened?.listening.length).toBe(1)
  })

  it('says goodbye once and then does nothing', async () => {
    const leaving = await open({ listen: ['0.0.0.0'] })
    await leaving.close()
    expect(announcers[0]?.closed).toBe(true)
    announcers[0]?.rename('press-4-2')
    await leaving.announce()
    expect(await leaving.apply({ ...DEFAULT_SETTINGS, listen: ['10.0.0.5'] })).toEqual([])
    await nextTurn()
    expect(announcers).toHaveLength(1)
  })
})
