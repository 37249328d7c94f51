#!/usr/bin/env node
import { homedir, hostname, networkInterfaces } from 'node:os'
import { formatVersion, SystemClock, systemRandom, systemWallTime } from '@slotwire/core'
import { discover, type HostNetwork } from '@slotwire/gateway'
import { SERVICE_NAMES, SERVICE_VERSION } from '@slotwire/modules/device-service'
import { Command, CommanderError } from 'commander'
import { certCommand } from './cert-command.ts'
import { deviceNames } from './cert-device.ts'
import type { CommandContext } from './command-context.ts'
import { configCommand } from './config-command.ts'
import { discoverCommand } from './discover-command.ts'
import { gatewayCommand } from './gateway-options.ts'
import { proxyConfigCommand } from './proxy-config-command.ts'
import { serve } from './serve.ts'
import { serveGateway } from './serve-gateway.ts'
import { serveCommand } from './serve-options.ts'
import { keepTickShape } from './tick-shape.ts'
import { tokenCommand } from './token-command.ts'
import { untilStopped } from './until-stopped.ts'
import { UsageError } from './usage-error.ts'

/** Exit code for what whoever typed the command can mend. */
const USAGE_EXIT_CODE = 2

const context: CommandContext = {
  print: (text) => process.stdout.write(text),
  hint: (text) => process.stderr.write(text),
  environment: process.env,
  platform: process.platform,
  home: homedir(),
  clock: new SystemClock(),
  wallTime: systemWallTime,
}

const systemNetwork: HostNetwork = { interfaces: networkInterfaces, hostName: hostname }

function setExitCode(code: number): void {
  process.exitCode = code
}

const program = new Command('slotwire')
  .description('hardware modules over HTTP, on a device or on a virtual one')
  .version(formatVersion(SERVICE_VERSION))
  .configureOutput({
    outputError: (text, write) =>
      write(
        `slotwire: ${text
          .replace(/^error: /, '')
          .trim()
          .replaceAll('\n', ' ')}\n`,
      ),
  })
  .exitOverride()

program.addCommand(
  serveCommand(SERVICE_NAMES, async (options) => {
    keepTickShape()
    await untilStopped(() => serve(options, context.print))
  }),
)
program.addCommand(gatewayCommand(SERVICE_NAMES, (options) => untilStopped(() => serveGateway(options, context.print))))

program.addCommand(tokenCommand(SERVICE_NAMES, context, systemRandom))
program.addCommand(configCommand(SERVICE_NAMES, context))
program.addCommand(discoverCommand({ ...context, random: systemRandom, network: systemNetwork, setExitCode, discover }))
program.addCommand(
  proxyConfigCommand(SERVICE_NAMES, {
    ...context,
    hasIpv6: () => Object.values(networkInterfaces()).some((infos) => infos?.some(({ family }) => family === 'IPv6') === true),
  }),
)
program.addCommand(certCommand({ ...context, deviceNames: (state) => deviceNames(state, SERVICE_NAMES) }))

/** Also for the commands of a command: one that was added as a whole knows nothing of its parent. */
function inherit(parent: Command): void {
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent))
}
inherit(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE
  else if (error instanceof UsageError) {
    process.stderr.write(`slotwire: ${error.message}\n`)
    process.exitCode = USAGE_EXIT_CODE
  } else throw error
}
