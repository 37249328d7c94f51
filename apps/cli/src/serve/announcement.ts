import { type Contract, genericEndpoints, servicePath } from '@slotwire/contract'
import { formatVersion, SLOTWIRE_VERSION } from '@slotwire/core'
import type { Rack, SlotInventory } from '@slotwire/driver'
import type { ModuleService } from '@slotwire/service'
import { type Colors as AllColors, colors as ownColors } from '../terminal/text.ts'
import type { Hardware } from './hardware.ts'
import type { ServedDevice } from './serve-device.ts'

/** One occupied slot, as announced. */
interface AnnouncedSlot {
  readonly slot: number
  /** Path segment of its service. */
  readonly service: string
  readonly product: string
}

/** What a server announces when it is ready, to programs or people. */
export interface StartAnnouncement {
  readonly version: string
  readonly hardware: Hardware
  /** Version of the kernel driver; undefined for a twin. */
  readonly kernelDriver?: string
  /** Loopback URLs. */
  readonly urls: readonly string[]
  /** Network URLs; empty while the network door is closed. */
  readonly networkUrls: readonly string[]
  readonly services: readonly string[]
  readonly slots: readonly AnnouncedSlot[]
  readonly stateFolder: string
  /** URL of a request that always has a result. */
  readonly example: string
}

type AnnouncedService = Pick<ModuleService, 'contract' | 'vendorProductId'>

/** Makes the announcement from the contents of the rack. */
export function announcementOf(
  { rack, kernelDriver }: { readonly rack: Pick<Rack, 'inventory'> } & Pick<ServedDevice, 'kernelDriver'>,
  services: readonly AnnouncedService[],
  at: Pick<StartAnnouncement, 'urls' | 'networkUrls' | 'stateFolder'>,
): StartAnnouncement {
  const slots = rack.inventory().flatMap((inventory) => announced(inventory, services))
  return {
    version: formatVersion(SLOTWIRE_VERSION),
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

/** Uses the descriptor read when the slot was opened: a module that fails now must not block the announcement. */
function announced({ slot, state, descriptor }: SlotInventory, services: readonly AnnouncedService[]): AnnouncedSlot[] {
  const service = services.find(({ vendorProductId }) => vendorProductId === descriptor?.vendorProductId)
  if (state !== 'usable' || descriptor === undefined || service === undefined) return []
  return [{ slot, service: service.contract.service, product: descriptor.productName }]
}

/** The announcement for people, with an example request. `startedSeconds`: time since the start of the process. */
export function formatAnnouncement(
  announcement: StartAnnouncement,
  startedSeconds: number,
  colors: Pick<AllColors, 'bold' | 'dim' | 'cyan'> = ownColors,
): string {
  const { urls, networkUrls, slots, stateFolder, version, example, kernelDriver } = announcement
  const device = kernelDriver === undefined ? 'a virtual device' : `this device (kernel driver ${kernelDriver})`
  return [
    `${colors.bold(`Slotwire ${version}`)} serves ${device} at ${urls.map((at) => colors.cyan(at)).join(' and ')}`,
    '',
    ...(networkUrls.length === 0
      ? []
      : [
          `  for the network (with a token) at ${networkUrls.map((at) => colors.cyan(at)).join(' and ')}`,
          `  make a token with slotwire token create --name <text> --state ${stateFolder}`,
          '',
        ]),
    ...(slots.length === 0 ? ['  no module to serve; plugged modules will be served'] : []),
    ...slots.map(({ slot, service, product }) => `  slot ${slot}  ${service.padEnd(6)} ${product}`),
    '',
    `${colors.dim('try')}    curl ${example}`,
    `${colors.dim('read')}   ${urls[0] ?? ''}/slotwire/docs`,
    `${colors.dim('state')}  ${stateFolder}`,
    `${colors.dim('ready')}  after ${startedSeconds.toFixed(1)} s`,
    '',
  ].join('\n')
}

/** Path of changing values of the last module that has them; otherwise the descriptor of the first module. */
function examplePath(slots: readonly AnnouncedSlot[], services: readonly AnnouncedService[]): string {
  const valuePaths = new Map(services.map(({ contract }) => [contract.service, valuePathOf(contract)]))
  const slot = slots.findLast(({ service }) => valuePaths.get(service) !== undefined) ?? slots[0]
  if (slot === undefined) return '/slotwire/readyz'
  return `${servicePath(slot.service)}/${slot.slot}${valuePaths.get(slot.service) ?? genericEndpoints.descriptor.path}`
}

/** Path of the first endpoint without parameters whose values are cached for one second. Undefined without any. */
function valuePathOf({ endpoints }: Contract): string | undefined {
  return Object.values(endpoints).find(({ caching, parameters }) => caching === 'one-second' && parameters === undefined)?.path
}
