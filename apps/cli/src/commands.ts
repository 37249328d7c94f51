import { SERVICE_NAMES } from '@slotwire/device/names'
import type { Command } from 'commander'
import type { LogOptions } from './run/option-values.ts'
import type { ServerContext } from './run/until-stopped.ts'
import type { RunningServer } from './serve/serve-device.ts'
import type { CommandContext } from './terminal/command-context.ts'

type Start<Options> = (options: Options, context: ServerContext) => Promise<RunningServer>

/** Runs a server until it is stopped. */
const serving =
  <Options extends LogOptions>(context: CommandContext, start: Start<Options>) =>
  async (options: Options): Promise<void> => {
    const { untilStopped } = await import('./run/until-stopped.ts')
    await untilStopped(options, context, (server) => start(options, server))
  }

/** Every command by its name, in the order of the help. Loaded only when typed, so that a service starts fast. */
export const commands: Readonly<Record<string, (context: CommandContext) => Promise<Command>>> = {
  serve: async (context) => {
    const [{ serveCommand }, { serve }] = await Promise.all([import('./serve/serve-options.ts'), import('./serve/serve.ts')])
    return serveCommand(SERVICE_NAMES, serving(context, serve))
  },
  bridge: async (context) => {
    const { bridgeCommand, serveBridge } = await import('./bridge/bridge-command.ts')
    return bridgeCommand(serving(context, (options, server) => serveBridge(options, server, context)))
  },
  fleet: async (context) => (await import('./fleet/fleet-command.ts')).fleetCommand(context),
  'power-manager': async (context) => {
    const { powerManagerCommand, holdPowerBudget } = await import('./power/power-manager-command.ts')
    return powerManagerCommand(serving(context, holdPowerBudget))
  },
  'twin-files': async (context) => {
    const { twinFilesCommand, showTwinFiles } = await import('./twin-files/twin-files.ts')
    return twinFilesCommand(serving(context, showTwinFiles))
  },
  scenario: async (context) => {
    const { scenarioCommand } = await import('./scenario/scenario-command.ts')
    const { CI: ci, TERM: term } = context.environment
    const isWatched = process.stderr.isTTY && (ci === undefined || ci === '') && term !== 'dumb'
    const terminal = isWatched ? process.stderr : undefined
    return scenarioCommand({ ...context, terminal })
  },
  discover: async (context) => (await import('./discover/discover-command.ts')).discoverCommand(context),
  token: async (context) => (await import('./token/token-command.ts')).tokenCommand(SERVICE_NAMES, context),
  cert: async (context) => (await import('./cert/cert-command.ts')).certCommand(context),
  config: async (context) => (await import('./config/config-command.ts')).configCommand(context),
  backup: async (context) => (await import('./backup/backup-command.ts')).backupCommand(context),
  restore: async (context) => (await import('./backup/backup-command.ts')).restoreCommand(context),
  'proxy-config': async (context) => (await import('./proxy-config/proxy-config-command.ts')).proxyConfigCommand(context),
  doctor: async (context) => (await import('./doctor/doctor-command.ts')).doctorCommand(SERVICE_NAMES, context),
  context: async (context) => (await import('./remote/context-command.ts')).contextCommand(context),
  devices: async (context) => (await import('./remote/device-commands.ts')).devicesCommand(context),
  get: async (context) => (await import('./remote/device-commands.ts')).getCommand(context),
  set: async (context) => (await import('./remote/pin-commands.ts')).setCommand(context),
  watch: async (context) => (await import('./remote/live-commands.ts')).watchCommand(context),
  mode: async (context) => (await import('./remote/pin-commands.ts')).modeCommand(context),
  pwm: async (context) => (await import('./remote/pin-commands.ts')).pwmCommand(context),
  threshold: async (context) => (await import('./remote/pin-commands.ts')).thresholdCommand(context),
  interrupt: async (context) => (await import('./remote/pin-commands.ts')).interruptCommand(context),
  counter: async (context) => (await import('./remote/pin-commands.ts')).counterCommand(context),
  'power-config': async (context) => (await import('./remote/pin-commands.ts')).powerConfigCommand(context),
  alerts: async (context) => (await import('./remote/live-commands.ts')).alertsCommand(context),
  bmc: async (context) => (await import('./remote/service-commands.ts')).serviceCommand('bmc', context),
  power: async (context) => (await import('./remote/service-commands.ts')).serviceCommand('power', context),
  off: async (context) => (await import('./remote/device-commands.ts')).offCommand(context),
  reset: async (context) => (await import('./remote/device-commands.ts')).resetCommand(context),
  descriptor: async (context) => (await import('./remote/device-commands.ts')).descriptorCommand(context),
  events: async (context) => (await import('./remote/live-commands.ts')).eventsCommand(context),
  history: async (context) => (await import('./remote/live-commands.ts')).historyCommand(context),
  bench: async (context) => (await import('./remote/bench-command.ts')).benchCommand(context),
  conform: async (context) => (await import('./conform/conform-command.ts')).conformCommand(context),
  lease: async (context) => (await import('./remote/lease-command.ts')).leaseCommand(context),
  completion: async (context) => (await import('./completion/completion-command.ts')).completionCommand(context),
}
