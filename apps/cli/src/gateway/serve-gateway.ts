import { type Backplane, formatVersion, SystemClock } from '@slotwire/core'
import { allServices } from '@slotwire/device'
import { SERVICE_VERSION } from '@slotwire/device/names'
import type { PowerGate } from '@slotwire/driver'
import { listen } from '@slotwire/edge'
import { createService, type ServedRack } from '@slotwire/service'
import { inOrder, type Step } from '../run/in-order.ts'
import { listenOnLoopback } from '../run/listen.ts'
import { overridesOf } from '../run/network-options.ts'
import { networkSide } from '../run/network-side.ts'
import type { Served } from '../serve/serve.ts'
import { homeFolder } from '../state/home-folder.ts'
import { openStateFolder } from '../state/state-folder.ts'
import { lockState } from '../state/state-lock.ts'
import { stateFolderOf } from '../state/state-option.ts'
import { standardLog } from '../terminal/standard-log.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { GatewayCommandOptions } from './gateway-options.ts'

/** Serves the doors of services that run elsewhere, and prints where. Throws `UsageError`. */
export async function serveGateway(options: GatewayCommandOptions, print: (text: string) => void): Promise<Served> {
  const folder = stateFolderOf(options, { platform: process.platform, environment: process.env, home: homeFolder })
  openStateFolder(folder)
  const lock = lockState(folder)
  const log = standardLog(options.logLevel, process.env)
  const clock = new SystemClock()
  /** What has been begun is ended in the opposite order. */
  const steps: Step[] = [() => lock.release()]
  const closeAll = (): Promise<void> => inOrder(steps.splice(0))
  try {
    const { upstream } = options
    const overrides = { ...overridesOf(options), ...(upstream === undefined ? {} : { upstreams: upstream }) }
    const contracts = allServices.map(({ contract }) => contract)
    const network = networkSide({ folder, overrides, own: [], contracts, clock, log })
    steps.unshift(() => network.close())
    const { upstreams } = network.settings
    if (Object.keys(upstreams).length === 0) {
      throw new UsageError(
        'there is nothing to forward to: say where a service runs with --upstream io=http://127.0.0.1:8002, or in the settings under services',
      )
    }
    const versions = { service: SERVICE_VERSION, moduleDriver: SERVICE_VERSION }
    const none = { services: [], rack: emptyRack, backplane: emptyBackplane, power: noPower }
    const service = createService({ ...none, clock, log, versions, ...network.service })
    steps.unshift(
      () => network.goodbye(),
      // What is forwarded has the same time as what is answered here.
      () => Promise.all([service.close(), network.finish()]),
    )
    const urls = await listenOnLoopback(
      async (at) => (await listen(service, at, network.loopback)).address,
      network.settings.loopbackPort,
    )
    await network.open(service)
    await network.announce()
    const announcement = {
      version: formatVersion(SERVICE_VERSION),
      urls,
      networkUrls: network.urls(),
      upstreams,
      stateFolder: folder,
    }
    print(options.json ? `${JSON.stringify(announcement)}\n` : textOf(announcement))
    return {
      close: closeAll,
      reload: () => network.reload(),
      // It drives nothing; what it forwards has deadlines of its own.
      stuck: () => undefined,
      status: () => `forwards to ${Object.keys(upstreams).join(', ')}, at ${[...urls, ...network.urls()].join(', ')}`,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

interface GatewayAnnouncement {
  readonly version: string
  readonly urls: readonly string[]
  readonly networkUrls: readonly string[]
  readonly upstreams: Readonly<Record<string, string>>
  readonly stateFolder: string
}

function textOf({ version, urls, networkUrls, upstreams, stateFolder }: GatewayAnnouncement): string {
  return [
    `Slotwire ${version} is the door at ${urls.join(' and ')}`,
    ...(networkUrls.length === 0 ? [] : [`and for the network, with tokens, at ${networkUrls.join(' and ')}`]),
    '',
    ...Object.entries(upstreams).map(([name, url]) => `  ${name.padEnd(6)} ${url}`),
    '',
    `state  ${stateFolder}`,
    '',
  ].join('\n')
}

/** The rack of a process that drives no module. */
const emptyRack: ServedRack = {
  driverSession: '',
  state: 'up',
  ready: true,
  usable: () => [],
  find: () => undefined,
  inventory: () => [],
  refuseWaiting: () => undefined,
}

/** A device without slots. */
const emptyBackplane: Backplane = {
  kernelDriver: { major: 0, minor: 0, patch: 0 },
  state: 'up',
  present: () => [],
  descriptor: nothingThere,
  powerDescriptors: async () => new Map(),
  open: nothingThere,
  hostDevices: async () => [],
  subscribe: () => () => undefined,
}

/** Nobody asks for power where there is no module. */
const noPower: PowerGate = { apply: nothingThere }

async function nothingThere(): Promise<never> {
  throw new Error('this process drives no module')
}
