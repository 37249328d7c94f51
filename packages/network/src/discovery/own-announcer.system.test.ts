import { it, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { addressesOf } from '../network.testkit.ts'
import { AnnouncerProgram } from './announcer-program.testkit.ts'
import { Neighbour, networkFor, PATIENCE, startAvahi, withNeighbour } from './avahi.testkit.ts'

vi.setConfig({ testTimeout: 90_000 })

const PRESS = { hostName: 'press-4' }

describeWith(
  ['namespaces', 'ip', 'avahi', 'avahiBrowse'],
  'discovery with the own responder',
  (_namespaces, _ip, daemon, browse) => {
    const avahi = { daemon, browse }

    it.concurrent('announces name, port, addresses and every key, and disappears after its goodbye', async (context) => {
      const { expect } = context
      const { network, laptop, neighbour } = await withNeighbour(context, avahi, PRESS)
      const http = new Neighbour(laptop, browse, '_http._tcp')
      const program = new AnnouncerProgram(network.host(0), 'own', temporaryFolder({ context }))
      program.announce()
      await expect.poll(() => [neighbour.entries.length, http.entries.length], PATIENCE).toEqual([2, 2])
      const txt = ['vendor=Acme & <Söhne>', 'tls-ca=/ca.pem', 'machine-id=/machine-id', 'path=/api/io/', 'service=io-module']
      for (const [entries, port] of [
        [neighbour.entries, 443],
        [http.entries, 80],
      ] as const) {
        expect(entries.map(({ protocol }) => protocol).sort()).toEqual(['IPv4', 'IPv6'])
        for (const entry of entries)
          expect(entry).toMatchObject({ instance: 'io-module on press-4', host: 'press-4.local', port })
        for (const entry of entries) expect(new Set(entry.txt)).toEqual(new Set(txt))
      }
      const resolve = (kind: string) => laptop.run('avahi-resolve', [kind, '-n', 'press-4.local'])
      expect((await resolve('-4')).stdout).toContain(network.host(0).ipv4)
      expect((await resolve('-6')).stdout).toContain(network.host(0).ipv6)
      // Neighbours may cache records for 75 minutes: only a goodbye removes them at once.
      await program.close()
      await expect.poll(() => [...neighbour.entries, ...http.entries], PATIENCE).toEqual([])
    })

    it.concurrent('announces changed doors and vendor without disappearing', async (context) => {
      const { expect } = context
      const { network, laptop, neighbour } = await withNeighbour(context, avahi, PRESS)
      const http = new Neighbour(laptop, browse, '_http._tcp')
      const program = new AnnouncerProgram(network.host(0), 'own', temporaryFolder({ context }))
      program.announce()
      await expect.poll(() => [neighbour.entries.length, http.entries.length], PATIENCE).toEqual([2, 2])
      program.announce({ vendor: 'Other', doors: [{ scheme: 'https', port: 8443 }] })
      await expect.poll(() => http.entries, PATIENCE).toEqual([])
      expect(neighbour.entries.map(({ instance }) => instance)).toEqual(['io-module on press-4', 'io-module on press-4'])
      // avahi-browse does not report changes: a new browser sees them.
      const fresh = new Neighbour(laptop, browse, '_https._tcp')
      await expect.poll(() => fresh.entries.map(({ port }) => port), PATIENCE).toEqual([8443, 8443])
      for (const { txt } of fresh.entries) expect(txt).toContain('vendor=Other')
      expect(neighbour.removals).toBe(0)
      expect(program.names).toEqual(['press-4', 'press-4'])
    })

    it.concurrent('announces in each of two networks the address that the device has there', async (context) => {
      const { expect } = context
      const plans = [1, 2].map((number) => ({ hostName: 'laptop', networks: [number] }))
      const network = await networkFor(context, { ...PRESS, networks: [1, 2] }, ...plans)
      const laptops = network.hosts.slice(1)
      await Promise.all(laptops.map((host) => startAvahi(host, daemon)))
      const neighbours = laptops.map((host) => new Neighbour(host, browse, '_https._tcp'))
      const both = [addressesOf(1, 1), addressesOf(1, 2)]
      const program = new AnnouncerProgram(network.host(0), 'own', temporaryFolder({ context }))
      program.announce({ addresses: both.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]) })
      await expect.poll(() => neighbours.map(({ entries }) => entries.length), PATIENCE).toEqual([2, 2])
      for (const [index, { ipv4, ipv6 }] of both.entries()) {
        for (const { host, address } of neighbours[index]?.entries ?? []) {
          expect(host).toBe('press-4.local')
          expect([ipv4, ipv6]).toContain(address)
        }
        const resolved = await network.host(index + 1).run('avahi-resolve', ['-4', '-n', 'press-4.local'])
        expect(resolved.stdout).toContain(ipv4)
      }
      // A door in one network only is not announced in the other.
      program.announce({ addresses: [addressesOf(1, 2).ipv4] })
      await expect.poll(() => neighbours.map(({ entries }) => entries.length), PATIENCE).toEqual([0, 2])
    })

    it.concurrent('announces again when an interface was deleted and made again', async (context) => {
      const { expect } = context
      const network = await networkFor(context, PRESS, { hostName: 'laptop' })
      const program = new AnnouncerProgram(network.host(0), 'own', temporaryFolder({ context }))
      program.announce()
      await expect.poll(() => program.names, PATIENCE).toEqual(['press-4'])
      await network.remake(network.host(0), 1)
      // The system may show the interface a moment later.
      await expect.poll(() => (program.announce(), program.names.length), PATIENCE).toBeGreaterThan(1)
      // Without a cache: the answers are new.
      await startAvahi(network.host(1), daemon)
      const neighbour = new Neighbour(network.host(1), browse, '_https._tcp')
      await expect.poll(() => neighbour.entries.map(({ host }) => host), PATIENCE).toEqual(['press-4.local', 'press-4.local'])
    })

    it.concurrent('never announces an address that other hosts cannot reach', async (context) => {
      const { expect } = context
      const network = await networkFor(context, PRESS)
      const program = new AnnouncerProgram(network.host(0), 'own', temporaryFolder({ context }))
      program.announce({ addresses: ['127.0.0.1', '::1', '10.99.99.99'] })
      await expect.poll(() => program.output, PATIENCE).toEqual([{ failed: 'there is no network interface with an address' }])
    })
  },
)
