import { existsSync, readdirSync, rmSync } from 'node:fs'
import { it, type TestContext, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import type { TestHost } from '../network.testkit.ts'
import { AnnouncerProgram } from './announcer-program.testkit.ts'
import { Neighbour, PATIENCE, startAvahi, withNeighbour } from './avahi.testkit.ts'

vi.setConfig({ testTimeout: 90_000 })

const SERVICES = '/etc/avahi/services'

describeWith(
  ['namespaces', 'ip', 'avahi', 'avahiBrowse'],
  'discovery on a host that runs avahi',
  (_namespaces, _ip, daemon, browse) => {
    async function pressWithAvahi(context: TestContext) {
      const { network, laptop, neighbour } = await withNeighbour(context, { daemon, browse }, { hostName: 'press-4' })
      const press = network.host(0)
      return { press, laptop, neighbour, avahi: await startAvahi(press, daemon), folder: temporaryFolder({ context }) }
    }

    const files = (host: TestHost) => readdirSync(host.path(SERVICES))

    it.concurrent('announces the device through avahi with every key, and removes its files at the end', async (context) => {
      const { expect } = context
      const { press, laptop, neighbour, folder } = await pressWithAvahi(context)
      const http = new Neighbour(laptop, browse, '_http._tcp')
      const program = new AnnouncerProgram(press, 'auto', folder)
      const services = ['io', 'power'].map((name) => ({ name: `${name}-module`, path: `/api/${name}/` }))
      program.announce({ services })
      await expect.poll(() => [neighbour.entries.length, http.entries.length], PATIENCE).toEqual([4, 4])
      const io = neighbour.entries.find(({ instance }) => instance.startsWith('io'))
      expect(io).toMatchObject({ instance: 'io-module on press-4', host: 'press-4.local', port: 443 })
      const txt = ['service=io-module', 'path=/api/io/', 'machine-id=/machine-id', 'tls-ca=/ca.pem', 'vendor=Acme & <Söhne>']
      expect(new Set(io?.txt)).toEqual(new Set(txt))
      expect(http.entries.map(({ instance, port }) => `${instance} ${port}`)).toContain('power-module on press-4 80')
      expect(files(press)).toEqual(['slotwire-io-module.service', 'slotwire-power-module.service'])
      expect(program.names).toEqual(['press-4'])

      program.announce({ services: services.slice(0, 1), doors: [{ scheme: 'https', port: 443 }] })
      await expect.poll(() => [neighbour.entries.length, http.entries.length], PATIENCE).toEqual([2, 0])
      await program.close()
      await expect.poll(() => neighbour.entries, PATIENCE).toEqual([])
      expect(files(press)).toEqual([])
    })

    it.concurrent('follows when avahi renames the host', async (context) => {
      const { expect } = context
      const { press, neighbour, folder } = await pressWithAvahi(context)
      const program = new AnnouncerProgram(press, 'auto', folder)
      program.announce()
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4.local'])
      await press.run('avahi-set-host-name', ['press-5'])
      await expect.poll(() => program.names, PATIENCE).toEqual(['press-4', 'press-5'])
      expect(program.output).toContainEqual({ renamed: 'press-5' })
      await expect.poll(() => neighbour.entries.map(({ instance }) => instance), PATIENCE).toContain('io-module on press-5')
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-5.local'])
    })

    it.concurrent('removes the files of a killed process at the next start', async (context) => {
      const { expect } = context
      const { press, neighbour, folder } = await pressWithAvahi(context)
      const program = new AnnouncerProgram(press, 'auto', folder)
      program.announce()
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4.local'])
      await program.kill()
      expect(files(press)).toHaveLength(1)
      const next = new AnnouncerProgram(press, 'own', folder)
      await expect.poll(() => neighbour.entries, PATIENCE).toEqual([])
      expect(files(press)).toEqual([])
      await next.close()
    })

    it.concurrent('uses its own responder, with a warning, where avahi’s folder is missing, and does not disturb avahi', async (context) => {
      const { expect } = context
      const { press, laptop, neighbour, avahi, folder } = await pressWithAvahi(context)
      rmSync(press.path(SERVICES), { recursive: true })
      const program = new AnnouncerProgram(press, 'auto', folder)
      program.announce()
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4.local'])
      expect(program.warnings.join()).toContain('set discovery to own')
      await program.close()
      await expect.poll(() => neighbour.entries, PATIENCE).toEqual([])
      // avahi alone announces the host name, before and after.
      const resolve = async () => (await laptop.run('avahi-resolve', ['-4', '-n', 'press-4.local'])).stdout
      await expect.poll(resolve, PATIENCE).toContain(press.ipv4)
      expect(avahi.hostName).toBe('press-4')
      expect(existsSync(press.path(SERVICES))).toBe(false)
    })

    it.concurrent('reports a remedy if discovery is set to avahi but its folder is missing', async (context) => {
      const { expect } = context
      const { press, folder } = await pressWithAvahi(context)
      rmSync(press.path(SERVICES), { recursive: true })
      const program = new AnnouncerProgram(press, 'avahi', folder)
      program.announce()
      await expect.poll(() => program.failures.join(), PATIENCE).toMatch(/services cannot be written.*set discovery to own/)
    })
  },
)
