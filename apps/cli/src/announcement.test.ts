import { describe, expect, it } from 'vitest'
import type { Announcement } from './announcement.ts'
import { formatAnnouncement } from './announcement.ts'

const plain = { bold: String, dim: String, cyan: String }
const announcement: Announcement = {
  version: '1.2.3',
  urls: ['http://127.0.0.1:8080', 'http://[::1]:8080'],
  services: ['bmc', 'io'],
  slots: [
    { slot: 0, service: 'bmc', product: 'Virtual mainboard controller' },
    { slot: 5, service: 'io', product: 'Virtual IO module' },
  ],
  stateFolder: '/home/ada/.local/state/slotwire',
}

describe('the announcement', () => {
  const text = formatAnnouncement(announcement, plain)

  it('says where it listens, what is in which slot, and where state is kept', () => {
    expect(text).toContain('at http://127.0.0.1:8080 and http://[::1]:8080\n')
    expect(text).toContain('  slot 0  bmc    Virtual mainboard controller\n  slot 5  io     Virtual IO module\n')
    expect(text).toContain('/home/ada/.local/state/slotwire')
  })

  it('has one request to try, of a service that is served', () => {
    expect(text).toContain('curl http://127.0.0.1:8080/api/io/1.0/5/input/values')
    const bmcOnly = formatAnnouncement({ ...announcement, slots: announcement.slots.slice(0, 1) }, plain)
    expect(bmcOnly).toContain('curl http://127.0.0.1:8080/api/bmc/1.0/0/descriptor')
    expect(formatAnnouncement({ ...announcement, slots: [] }, plain)).toContain('curl http://127.0.0.1:8080/slotwire/readyz')
  })
})
