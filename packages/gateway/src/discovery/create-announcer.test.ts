import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock, seededRandom, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AnnouncerKind } from './announcement.ts'
import { createAnnouncer } from './create-announcer.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire discovery '))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function create(kind: AnnouncerKind) {
  const network = { interfaces: () => ({}), hostName: () => 'press-4.example.com' }
  const avahi = { socket: join(folder, 'no socket'), services: join(folder, 'services') }
  return createAnnouncer({ kind, folder, network, clock: new ManualClock(), random: seededRandom(1), log: silentLog, avahi })
}

const nothing = { vendor: '', services: [], doors: [], addresses: [], machineIdPath: '', tlsCaPath: '' }

// What is announced, and when which way is taken, is shown in real networks: *.system.test.ts.
describe('an announcer', () => {
  it('knows the name of the system before anything is announced', async () => {
    for (const kind of ['own', 'auto', 'avahi'] as const) {
      const announcer = await create(kind)
      expect(announcer.hostName).toBe('press-4')
      await announcer.close()
    }
  })

  it('is our own where avahi does not run: it says when no network can be used', async () => {
    const announcer = await create('auto')
    await expect(announcer.announce({ ...nothing, hostName: 'press-4' })).rejects.toThrow(
      'there is no network interface with an address',
    )
    await announcer.close()
  })
})
