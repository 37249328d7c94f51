import { join } from 'node:path'
import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import type { AnnouncerKind } from './announcement.ts'
import { createAnnouncer } from './create-announcer.ts'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

function create(kind: AnnouncerKind) {
  const network = { interfaces: () => ({}), hostName: () => 'press-4.example.com' }
  const avahi = { socket: join(folder, 'no socket'), services: join(folder, 'services') }
  const onRenamed = () => undefined
  const seams = { clock: new ManualClock(), random: seededRandom(1), log: silentLog }
  return createAnnouncer({ kind, folder, network, ...seams, avahi, onRenamed })
}

const nothing = { vendor: '', services: [], doors: [], addresses: [], machineIdPath: '', tlsCaPath: '' }

// Real networks show what is announced and when each announcer is chosen: *.system.test.ts.
describe('createAnnouncer', () => {
  it("uses the system's host name before the first announcement", async () => {
    for (const kind of ['own', 'auto', 'avahi'] as const) {
      const announcer = await create(kind)
      expect(announcer.hostName).toBe('press-4')
      await announcer.close()
    }
  })

  it('creates its own responder without avahi, which rejects without a network interface', async () => {
    const announcer = await create('auto')
    await expect(announcer.announce({ ...nothing, hostName: 'press-4' })).rejects.toThrow(
      'there is no network interface with an address',
    )
    await announcer.close()
  })
})
