import { hostname, networkInterfaces } from 'node:os'
import { formatVersion, SLOTWIRE_VERSION, systemRandom } from '@slotwire/core'
import { SERVICE_NAMES } from '@slotwire/device/names'
import type { Command } from 'commander'
import { remoteCommands, terminalOf } from './remote/remote-commands.ts'
import type { CommandContext } from './terminal/command-context.ts'

const version = formatVersion(SLOTWIRE_VERSION)

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((infos) => infos?.some(({ family }) => family === 'IPv6') === true)

/** What the commands need from this program. */
export interface ProgramContext extends CommandContext {
  /** Like `print`, for servers: they keep running if standard output cannot be written. */
  readonly announce: (text: string) => void
  /** Sets the exit code of this process. */
  readonly setExitCode: (code: number) => void
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly stopped: () => Promise<unknown>
}

/** Every command by its name, in the order of the help. Loaded only when typed, so that a service starts fast. */
export const commands: Readonly<Record<string, (context: ProgramContext) => Promise<Command>>> = {
  serve: async (context) => {
    const [{ serveCommand }, { serve }, { pinTickHiddenClass }, { untilStopped }] = await Promise.all([
      import('./serve/serve-options.ts'),
      import('./serve/serve.ts'),
      import('./run/tick-hidden-class.ts'),
      import('./run/until-stopped.ts'),
    ])
    return serveCommand(SERVICE_NAMES, (options) => {
      pinTickHiddenClass()
      const { twins } = options
      return untilStopped(options, context, async (server) => {
        if (twins === undefined) return serve(options, server)
        return (await import('./twins/twins.ts')).serveTwins({ ...options, twins }, server)
      })
    })
  },
  bridge: async (context) => {
    const [{ bridgeCommand }, { serveBridge }, { untilStopped }] = await Promise.all([
      import('./bridge/bridge-options.ts'),
      import('./bridge/serve-bridge.ts'),
      import('./run/until-stopped.ts'),
    ])
    return bridgeCommand((options) => untilStopped(options, context, (server) => serveBridge(options, server, context)))
  },
  fleet: async (context) => (await import('./fleet/fleet-command.ts')).fleetCommand(context),
  'power-manager': async (context) => {
    const [{ powerManagerCommand, holdPowerBudget }, { untilStopped }] = await Promise.all([
      import('./power/power-manager-command.ts'),
      import('./run/until-stopped.ts'),
    ])
    return powerManagerCommand((options) => untilStopped(options, context, (server) => holdPowerBudget(options, server)))
  },
  'twin-files': async (context) => {
    const [{ twinFilesCommand, showTwinFiles }, { untilStopped }] = await Promise.all([
      import('./twin-files/twin-files.ts'),
      import('./run/until-stopped.ts'),
    ])
    return twinFilesCommand((options) => untilStopped(options, context, (server) => showTwinFiles(options, server)))
  },
  scenario: async (context) => {
    const { scenarioCommand } = await import('./scenario/scenario-command.ts')
    const { CI: ci, TERM: term } = context.environment
    const isWatched = process.stderr.isTTY && (ci === undefined || ci === '') && term !== 'dumb'
    const terminal = isWatched ? process.stderr : undefined
    return scenarioCommand({ ...context, ask: terminalOf(process, context.stopped).ask, terminal })
  },
  discover: async (context) => {
    const [{ discoverCommand }, { discover }] = await Promise.all([
      import('./discover/discover-command.ts'),
      import('@slotwire/network/discover'),
    ])
    const network = { interfaces: networkInterfaces, hostName: hostname }
    return discoverCommand({ ...context, random: systemRandom, network, discover })
  },
  token: async (context) =>
    (await import('./token/token-command.ts')).tokenCommand(SERVICE_NAMES, { ...context, random: systemRandom }),
  cert: async (context) => (await import('./cert/cert-command.ts')).certCommand(context),
  config: async (context) => (await import('./config/config-command.ts')).configCommand(context),
  backup: async (context) => (await import('./backup/backup-command.ts')).backupCommand(context, version),
  restore: async (context) => (await import('./backup/backup-command.ts')).restoreCommand(context, process.stdin),
  'proxy-config': async (context) =>
    (await import('./proxy-config/proxy-config-command.ts')).proxyConfigCommand({ ...context, hasIpv6 }),
  doctor: async (context) => {
    const { doctorCommand } = await import('./doctor/doctor-command.ts')
    return doctorCommand(SERVICE_NAMES, context)
  },
  ...remoteCommands,
  completion: async (context) => (await import('./completion/completion-command.ts')).completionCommand(context),
}
