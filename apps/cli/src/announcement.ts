import { formatVersion } from '@slotwire/core'
import type { Rack, SlotApi } from '@slotwire/driver'
import { SERVICE_VERSION } from '@slotwire/modules/device-service'
import picocolors from 'picocolors'

/** One occupied slot, as announced. */
interface AnnouncedSlot {
  readonly slot: number
  /** Path segment of the service that it belongs to. */
  readonly service: string
  readonly product: string
}

/** What a program or a person wants to know of a server that has just come up. */
export interface Announcement {
  readonly version: string
  readonly urls: readonly string[]
  readonly services: readonly string[]
  readonly slots: readonly AnnouncedSlot[]
  readonly stateFolder: string
}

export interface AnnouncedService {
  readonly name: string
  readonly vendorProductId: string
}

/** Collects the announcement from what is in the rack. */
export async function announcementOf(
  rack: Pick<Rack, 'usable'>,
  services: readonly AnnouncedService[],
  at: { readonly urls: readonly string[]; readonly stateFolder: string },
): Promise<Announcement> {
  const found = services.flatMap(({ name, vendorProductId }) => rack.usable(vendorProductId).map((slot) => ({ name, slot })))
  const slots = await Promise.all(found.map(({ name, slot }) => announced(name, slot)))
  return {
    version: formatVersion(SERVICE_VERSION),
    urls: at.urls,
    services: services.map(({ name }) => name),
    slots: slots.sort((a, b) => a.slot - b.slot),
    stateFolder: at.stateFolder,
  }
}

async function announced(service: string, slot: SlotApi): Promise<AnnouncedSlot> {
  return { slot: slot.slot, service, product: (await slot.descriptor()).productName }
}

/** The announcement for people, with one request to try. */
export function formatAnnouncement(
  announcement: Announcement,
  colors: Pick<typeof picocolors, 'bold' | 'dim' | 'cyan'> = picocolors,
): string {
  const { urls, slots, stateFolder, version } = announcement
  const [url = ''] = urls
  const first = slots.findLast(({ service }) => service === 'io') ?? slots[0]
  const path = first === undefined ? '/slotwire/readyz' : examplePath(first)
  return [
    `${colors.bold(`Slotwire ${version}`)} serves a virtual device at ${urls.map((at) => colors.cyan(at)).join(' and ')}`,
    '',
    ...slots.map(({ slot, service, product }) => `  slot ${slot}  ${service.padEnd(6)} ${product}`),
    '',
    `${colors.dim('try')}    curl ${url}${path}`,
    `${colors.dim('read')}   ${url}/slotwire/docs`,
    `${colors.dim('state')}  ${stateFolder}`,
    '',
  ].join('\n')
}

/** A request that always has something to show. */
function examplePath(slot: AnnouncedSlot): string {
  return slot.service === 'io' ? `/api/io/1.0/${slot.slot}/input/values` : `/api/${slot.service}/1.0/${slot.slot}/descriptor`
}
