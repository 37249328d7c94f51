import { type Contract, genericEndpoints, servicePath } from '@slotwire/contract'
import { formatVersion } from '@slotwire/core'
import { SERVICE_VERSION } from '@slotwire/device/names'
import type { Rack, SlotInventory } from '@slotwire/driver'
import type { ModuleService } from '@slotwire/service'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'
import type { Hardware } from './hardware.ts'
import type { ServedDevice } from './serve-device.ts'

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
  readonly hardware: Hardware
  /** Version of the kernel driver; a twin has none. */
  readonly kernelDriver?: string
  /** For this machine. */
  readonly urls: readonly string[]
  /** For the network; none while its door is closed. */
  readonly networkUrls: readonly string[]
  readonly services: readonly string[]
  readonly slots: readonly AnnouncedSlot[]
  readonly stateFolder: string
  /** A request that always has something to show. */
  readonly example: string
}

type AnnouncedService = Pick<ModuleService, 'contract' | 'vendorProductId'>

/** Collects the announcement from what is in the rack. */
export function announcementOf(
  { rack, kernelDriver }: { readonly rack: Pick<Rack, 'inventory'> } & Pick<ServedDevice, 'kernelDriver'>,
  services: readonly AnnouncedService[],
  at: Pick<Announcement, 'urls' | 'networkUrls' | 'stateFolder'>,
): Announcement {
  const slots = rack.inventory().flatMap((inventory) => announced(inventory, services))
  return {
    version: formatVersion(SERVICE_VERSION),
    ...(kernelDriver === undefined
      ? { hardware: 'twin' as const }
      : { hardware: 'kernel' as const, kernelDriver: formatVersion(kernelDriver) }),
    urls: at.urls,
    networkUrls: at.networkUrls,
    services: services.map(({ contract }) => contract.service),
    slots,
    stateFolder: at.stateFolder,
    example: `${at.urls[0] ?? ''}${examplePath(slots, services)}`,
  }
}

/** As it was when it was opened: what a module says of itself now is nobody's reason not to serve the others. */
function announced({ slot, state, descriptor }: SlotInventory, services: readonly AnnouncedService[]): AnnouncedSlot[] {
  const service = services.find(({ vendorProductId }) => vendorProductId === descriptor?.vendorProductId)
  if (state !== 'usable' || descriptor === undefined || service === undefined) return []
  return [{ slot, service: service.contract.service, product: descriptor.productName }]
}

/** The announcement for people, with one request to try. */
export function formatAnnouncement(
  announcement: Announcement,
  colors: Pick<AllColors, 'bold' | 'dim' | 'cyan'> = ownColors,
): string {
  const { urls, networkUrls, slots, stateFolder, version, example, kernelDriver } = announcement
  const device = kernelDriver === undefined ? 'a virtual device' : `this device (kernel driver ${kernelDriver})`
  return [
    `${colors.bold(`Slotwire ${version}`)} serves ${device} at ${urls.map((at) => colors.cyan(at)).join(' and ')}`,
    '',
    ...(networkUrls.length === 0
      ? []
      : [`  to the network, with tokens, at ${networkUrls.map((at) => colors.cyan(at)).join(' and ')}`, '']),
    ...(slots.length === 0 ? ['  no slot holds a module that can be served; one that comes will be'] : []),
    ...slots.map(({ slot, service, product }) => `  slot ${slot}  ${service.padEnd(6)} ${product}`),
    '',
    `${colors.dim('try')}    curl ${example}`,
    `${colors.dim('read')}   ${urls[0] ?? ''}/slotwire/docs`,
    `${colors.dim('state')}  ${stateFolder}`,
    '',
  ].join('\n')
}

/** Values that change, of the last module that has any to be asked for often; else what the first one says of itself. */
function examplePath(slots: readonly AnnouncedSlot[], services: readonly AnnouncedService[]): string {
  const valuePaths = new Map(services.map(({ contract }) => [contract.service, valuePathOf(contract)]))
  const slot = slots.findLast(({ service }) => valuePaths.get(service) !== undefined) ?? slots[0]
  if (slot === undefined) return '/slotwire/readyz'
  return `${servicePath(slot.service)}/${slot.slot}${valuePaths.get(slot.service) ?? genericEndpoints.descriptor.path}`
}

/** Path of the first endpoint whose values are kept for a second, and that needs no parameters; undefined where there is none. */
function valuePathOf({ endpoints }: Contract): string | undefined {
  return Object.values(endpoints).find(({ caching, parameters }) => caching === 'one-second' && parameters === undefined)?.path
}
