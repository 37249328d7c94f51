import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { interfaceInfo } from '../interface-info.testkit.ts'
import type { NetworkInterfaces } from '../network-doors.ts'
import type { Announcement } from './announcement.ts'
import { DiscoveryMemory } from './discovery-memory.ts'
import { response } from './mdns/dns-message.ts'
import { Lan, LanLink } from './mdns/lan.testkit.ts'
import { unique } from './mdns/zone.testkit.ts'
import { OwnAnnouncer } from './own-announcer.ts'

const announcement: Announcement = {
  hostName: 'press-4',
  vendor: 'Acme',
  services: [{ name: 'io-module', path: '/api/io/' }],
  doors: [{ scheme: 'https', port: 443 }],
  addresses: ['10.0.0.5'],
  machineIdPath: '/machine-id',
  tlsCaPath: '/ca.pem',
}

let folder: string
let clock: ManualClock
let lan: Lan
let links: LanLink[]
let interfaces: NetworkInterfaces
let announcer: OwnAnnouncer
let renamed: string[]

beforeEach(() => {
  folder = temporaryFolder()
  clock = new ManualClock()
  lan = new Lan()
  links = []
  interfaces = { lo: [interfaceInfo('127.0.0.1')], eth0: [interfaceInfo('10.0.0.5')], eth1: [interfaceInfo('10.1.0.5')] }
  announcer = start()
})
afterEach(async () => {
  await announcer.close()
})

function start(): OwnAnnouncer {
  renamed = []
  return new OwnAnnouncer({
    clock,
    random: seededRandom(1),
    log: silentLog,
    network: { interfaces: () => interfaces, hostName: () => 'press-4.example.com' },
    memory: new DiscoveryMemory(folder, silentLog),
    onRenamed: (name) => renamed.push(name),
    openLink: async (_interfaces, names) => {
      links.push(new LanLink(Object.fromEntries(names.map((name) => [name, lan]))))
      return links.at(-1) as LanLink
    },
  })
}

async function announce(changes: Partial<Announcement> = {}): Promise<void> {
  const done = announcer.announce({ ...announcement, ...changes })
  await clock.advance(60_000)
  await done
}

/** A host that claims each of these names. */
function defend(...taken: readonly string[]): () => void {
  return lan.listen(() => {
    for (const { questions } of lan.take()) {
      const asked = questions
        .map(({ name }) => name)
        .filter((name) => taken.includes(name.split('.')[0] ?? '') || taken.includes('*'))
      if (asked.length === 0) continue
      lan.broadcast(response({ answers: asked.map((name) => unique(name, { type: 'A', data: '10.0.0.99' })) }))
    }
  })
}

it.each<[string, () => void]>([
  ['its address moved to another interface', () => (interfaces = { eth1: [interfaceInfo('10.0.0.5')] })],
  ['the system lists its membership no more', () => links.forEach((link) => (link.isJoined = false))],
])('isStale is true when %s, until it is announced again', async (_why, change) => {
  await announce()
  expect(announcer.isStale).toBe(false)
  change()
  expect(announcer.isStale).toBe(true)
  await announce()
  expect([announcer.isStale, links.map(({ closed }) => closed)]).toEqual([false, [true, false]])
})

describe('announced host name', () => {
  it('is the preferred one if that is free', async () => {
    await announce()
    expect([announcer.hostName, renamed]).toEqual(['press-4', []])
  })

  it('gets the first free numeric suffix and notifies listeners', async () => {
    defend('press-4', 'press-4-2')
    await announce()
    expect([announcer.hostName, renamed]).toEqual(['press-4-3', ['press-4-3']])
  })

  it('is kept after a restart while the preferred name is the same', async () => {
    const stop = defend('press-4')
    await announce()
    await announcer.close()
    stop()
    announcer = start()
    expect(announcer.hostName).toBe('press-4-2')
    await announce()
    expect([announcer.hostName, renamed]).toEqual(['press-4-2', []])
    await announce({ hostName: 'line-3' })
    expect([announcer.hostName, renamed]).toEqual(['line-3', []])
  })

  it('is tried 15 times at once and then every 5 s while all names are taken (RFC 6762 section 8.1)', async () => {
    const asked = new Set<string>()
    lan.listen(() => {
      for (const { questions } of lan.messages) for (const { name } of questions) asked.add(name)
    })
    defend('*')
    void announcer.announce(announcement)
    await clock.advance(10_000)
    const hosts = () => [...asked].filter((name) => !name.includes('_')).length
    expect(hosts()).toBeGreaterThanOrEqual(15)
    const before = hosts()
    await clock.advance(50_000)
    expect(hosts() - before).toBeLessThanOrEqual(11)
    expect(hosts() - before).toBeGreaterThanOrEqual(8)
  })
})

describe('OwnAnnouncer', () => {
  it('announces changed data at once, without another probe', async () => {
    await announce()
    lan.take()
    await announcer.announce({ ...announcement, vendor: 'Other' })
    const [message] = lan.take()
    expect(
      message?.answers.some((record) => record.type === 'TXT' && Buffer.concat(record.data).toString().includes('vendor=Other')),
    ).toBe(true)
  })

  it('joins the interfaces that have an announced address', async () => {
    await announce()
    expect(links.map((link) => link.interfaces)).toEqual([['eth0']])
    await announce({ addresses: ['10.0.0.5', '10.1.0.5', '127.0.0.1'] })
    expect(links.map((link) => [link.interfaces, link.closed])).toEqual([
      [['eth0'], true],
      [['eth0', 'eth1'], false],
    ])
    interfaces = { ...interfaces, eth0: [interfaceInfo('10.0.0.7')] }
    await announce({ addresses: ['10.0.0.7'] })
    expect(links.map((link) => [link.interfaces, link.closed]).at(-1)).toEqual([['eth0'], false])
  })

  it('stops a running probe when it is closed, and then announces nothing', async () => {
    defend('*')
    const done = announcer.announce(announcement)
    await clock.advance(3000)
    await announcer.close()
    await done
    lan.take()
    await announcer.announce(announcement)
    await clock.advance(60_000)
    expect([lan.take(), clock.pending, links.every(({ closed }) => closed)]).toEqual([[], 0, true])
  })
})
