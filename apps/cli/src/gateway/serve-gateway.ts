import { type Backplane, formatVersion, SLOTWIRE_VERSION, systemRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { consolePage } from '../run/console-page.ts'
import { type OpenedDevice, serveBehindDoors } from '../run/serve-behind-doors.ts'
import type { ServerContext } from '../run/until-stopped.ts'
import type { Served } from '../serve/serve-device.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { GatewayCommandOptions } from './gateway-options.ts'

/** Opens doors that forward to services in other processes, and prints their URLs. Throws `UsageError`. */
export function serveGateway(options: GatewayCommandOptions, context: ServerContext): Promise<Served> {
  const { upstream } = options
  const { clock, log } = context
  return serveBehindDoors(options, context, {
    overrides: upstream === undefined ? {} : { upstreams: upstream },
    own: [],
    create: async (network) => {
      if (Object.keys(network.settings.upstreams).length === 0) {
        throw new UsageError(
          'no service to forward to: name one with --upstream io=http://127.0.0.1:8002, or in the settings under upstream',
        )
      }
      const none = { services: [], drivesOnlyServed: true, backplane: emptyBackplane }
      const device = await createDeviceService({
        ...none,
        clock,
        log,
        random: systemRandom,
        page: consolePage,
        ...network.service,
      })
      // It drives no modules. Forwarded requests have their own deadlines.
      return { ...device, release: () => undefined, stuck: () => undefined }
    },
    announce: (opened) => announcementOf(opened, options.json),
    status: ({ network }, urls) => `forwards to ${Object.keys(network.settings.upstreams).join(', ')}, at ${urls}`,
  })
}

function announcementOf({ network, stateFolder, urls }: OpenedDevice, json: boolean): string {
  const version = formatVersion(SLOTWIRE_VERSION)
  const networkUrls = network.urls()
  const { upstreams } = network.settings
  if (json) return `${JSON.stringify({ version, urls, networkUrls, upstreams, stateFolder })}\n`
  return [
    `Slotwire ${version} forwards requests at ${urls.join(' and ')}`,
    ...(networkUrls.length === 0
      ? []
      : [`and for the network, with tokens of slotwire token create --state ${stateFolder}, at ${networkUrls.join(' and ')}`]),
    '',
    ...Object.entries(upstreams).map(([name, url]) => `  ${name.padEnd(6)} ${url}`),
    '',
    `state  ${stateFolder}`,
    '',
  ].join('\n')
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

async function nothingThere(): Promise<never> {
  throw new Error('this process drives no module')
}
