import { writeFileSync } from 'node:fs'
import { it, type TestContext, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { AnnouncerProgram } from './announcer-program.testkit.ts'
import { PATIENCE, startAvahi, withNeighbour } from './avahi.testkit.ts'

vi.setConfig({ testTimeout: 90_000 })

const PRESS = { hostName: 'press-4' }
const OTHER_SERVICE = `<service-group>
  <name replace-wildcards="yes">web on %h</name>
  <service><type>_https._tcp</type><port>8443</port></service>
</service-group>`

describeWith(
  ['namespaces', 'ip', 'avahi', 'avahiBrowse'],
  'a device whose host name is taken',
  (_namespaces, _ip, daemon, browse) => {
    /** Two hosts with one name, and a neighbour that sees both. */
    async function twoHosts(context: TestContext) {
      const { network, laptop, neighbour } = await withNeighbour(context, { daemon, browse }, PRESS, PRESS)
      return { network, laptop, neighbour, first: network.host(0), second: network.host(1) }
    }

    it.concurrent('uses another name than an earlier host, and keeps it after a restart', async (context) => {
      const { expect } = context
      const { neighbour, first, second } = await twoHosts(context)
      const older = new AnnouncerProgram(first, 'own', temporaryFolder({ context }))
      older.announce()
      await expect.poll(() => older.names, PATIENCE).toEqual(['press-4'])
      const folder = temporaryFolder({ context })
      const younger = new AnnouncerProgram(second, 'own', folder)
      younger.announce()
      await expect.poll(() => younger.output, PATIENCE).toEqual([{ renamed: 'press-4-2' }, { announced: 'press-4-2' }])
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4-2.local', 'press-4.local'])
      const addresses = neighbour.entries.filter(({ host }) => host === 'press-4-2.local').map(({ address }) => address)
      for (const address of addresses) expect([second.ipv4, second.ipv6]).toContain(address)
      await older.close()
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4-2.local'])
      await younger.close()
      const again = new AnnouncerProgram(second, 'own', folder)
      again.announce()
      await expect.poll(() => again.output, PATIENCE).toEqual([{ announced: 'press-4-2' }])
    })

    it.concurrent('agrees on different names with a host that starts at the same moment', async (context) => {
      const { expect } = context
      const { neighbour, first, second } = await twoHosts(context)
      const programs = [first, second].map((host) => new AnnouncerProgram(host, 'own', temporaryFolder({ context })))
      for (const program of programs) program.announce()
      await expect.poll(() => programs.map(({ names }) => names.at(-1)).sort(), PATIENCE).toEqual(['press-4', 'press-4-2'])
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4-2.local', 'press-4.local'])
    })

    it.concurrent('agrees on different names after two networks are joined', async (context) => {
      const { expect } = context
      const { network, laptop, neighbour, first, second } = await twoHosts(context)
      await network.plug(second, 1, false)
      const programs = [first, second].map((host) => new AnnouncerProgram(host, 'own', temporaryFolder({ context })))
      for (const program of programs) program.announce()
      await expect.poll(() => programs.map(({ names }) => names), PATIENCE).toEqual([['press-4'], ['press-4']])
      await network.plug(second, 1, true)
      const last = async () => {
        // A query makes both hosts respond, and each receives the other's response.
        await laptop.run('avahi-resolve', ['-4', '-n', 'press-4.local'])
        return programs.map(({ names }) => names.at(-1)).sort()
      }
      await expect.poll(last, { ...PATIENCE, interval: 1000 }).toEqual(['press-4', 'press-4-2'])
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4-2.local', 'press-4.local'])
    })

    it.concurrent('uses another name than an avahi host that started before', async (context) => {
      const { expect } = context
      const { neighbour, first, second } = await twoHosts(context)
      const avahi = await startAvahi(first, daemon)
      writeFileSync(first.path('/etc/avahi/services/other.service'), OTHER_SERVICE)
      const program = new AnnouncerProgram(second, 'own', temporaryFolder({ context }))
      program.announce()
      await expect.poll(() => program.names.at(-1), PATIENCE).toBe('press-4-2')
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4-2.local', 'press-4.local'])
      expect(avahi.hostName).toBe('press-4')
    })

    it.concurrent('keeps its name when an avahi host starts later, which renames itself', async (context) => {
      const { expect } = context
      const { neighbour, first, second } = await twoHosts(context)
      const program = new AnnouncerProgram(second, 'own', temporaryFolder({ context }))
      program.announce()
      await expect.poll(() => program.names, PATIENCE).toEqual(['press-4'])
      const avahi = await startAvahi(first, daemon)
      writeFileSync(first.path('/etc/avahi/services/other.service'), OTHER_SERVICE)
      // avahi increments the number at the end of the name.
      await expect.poll(() => avahi.hostName, PATIENCE).toBe('press-5')
      await expect.poll(() => neighbour.hosts, PATIENCE).toEqual(['press-4.local', 'press-5.local'])
      expect(program.names).toEqual(['press-4'])
    })
  },
)
