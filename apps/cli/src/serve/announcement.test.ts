import { allServices } from '@slotwire/device'
import { type SlotInventory, SlotStatistics } from '@slotwire/driver'
import { describe, expect, it } from 'vitest'
import { fakeDescriptor } from '../../../../packages/service/src/fake-slot.testkit.ts'
import type { StartAnnouncement } from './announcement.ts'
import { announcementOf, formatAnnouncement } from './announcement.ts'

const plain = { bold: String, dim: String, cyan: String }
const announcement: StartAnnouncement = {
  version: '1.2.3',
  hardware: 'twin',
  urls: ['http://127.0.0.1:8080', 'http://[::1]:8080'],
  networkUrls: [],
  services: ['bmc', 'io'],
  slots: [
    { slot: 0, service: 'bmc', product: 'Virtual mainboard controller' },
    { slot: 5, service: 'io', product: 'Virtual IO module' },
  ],
  stateFolder: '/home/ada/.local/state/slotwire',
  example: 'http://127.0.0.1:8080/api/io/1.0/5/input/values',
}

describe('formatAnnouncement', () => {
  const text = formatAnnouncement(announcement, 2.34, plain)

  it('prints the URLs, the module in each slot, and the state folder', () => {
    expect(text).toContain('at http://127.0.0.1:8080 and http://[::1]:8080\n')
    expect(text).toContain('  slot 0  bmc    Virtual mainboard controller\n  slot 5  io     Virtual IO module\n')
    expect(text).toContain('/home/ada/.local/state/slotwire\nready  after 2.3 s\n')
  })

  it('mentions the network only if its door is open', () => {
    expect(text).not.toContain('network')
    const networkUrls = ['https://press-4.local', 'https://10.0.0.5:8443']
    expect(formatAnnouncement({ ...announcement, networkUrls }, 0.3, plain)).toContain(
      '  for the network (with a token) at https://press-4.local and https://10.0.0.5:8443\n  make a token with slotwire token create --name <text> --state ',
    )
  })

  it('contains one example request', () => expect(text).toContain(`curl ${announcement.example}\n`))
})

const url = 'http://127.0.0.1:8080'
const at = { urls: [url], networkUrls: [], stateFolder: '' }

const servicesOf = (...names: readonly string[]) => allServices.filter(({ contract }) => names.includes(contract.service))

function moduleOf(type: string, slot: number, state: SlotInventory['state'] = 'usable'): SlotInventory {
  const [{ vendorProductId } = fakeDescriptor] = servicesOf(type)
  const descriptor = { ...fakeDescriptor, vendorProductId, productName: 'A module' }
  return { slot, state, descriptor, waitingJobs: 0, statistics: new SlotStatistics() }
}

it('the announced modules are those that are usable and served, as they were when opened', () => {
  const inventory = [moduleOf('io', 3), moduleOf('io', 5, 'hung'), moduleOf('relay', 6), moduleOf('bmc', 0)]
  expect(announcementOf({ rack: { inventory: () => inventory } }, servicesOf('bmc', 'io'), at).slots).toEqual([
    { slot: 3, service: 'io', product: 'A module' },
    { slot: 0, service: 'bmc', product: 'A module' },
  ])
})

describe('the example request', () => {
  const exampleFor = (slots: Readonly<Record<string, readonly number[]>>) => {
    const inventory = Object.entries(slots).flatMap(([type, numbers]) => numbers.map((slot) => moduleOf(type, slot)))
    return announcementOf({ rack: { inventory: () => inventory } }, servicesOf(...Object.keys(slots)), at).example
  }

  it('reads the pins of the last io module, which is wired in the default device', () => {
    expect(exampleFor({ io: [3, 5], power: [6] })).toBe(`${url}/api/io/1.0/5/input/values`)
    expect(exampleFor({ bmc: [0], io: [3, 5] })).toBe(`${url}/api/io/1.0/5/input/values`)
  })

  it('is for a served service and always has a result', () => {
    expect(exampleFor({ bmc: [0] })).toBe(`${url}/api/bmc/1.0/0/descriptor`)
    expect(exampleFor({ io: [] })).toBe(`${url}/slotwire/readyz`)
  })
})
