#!/usr/bin/env node
import { formatVersion } from '@slotwire/core'
import { SERVICE_NAMES, SERVICE_VERSION } from '@slotwire/modules/device-service'
import { Command, CommanderError } from 'commander'
import { serve } from './serve.ts'
import { serveCommand } from './serve-options.ts'
import { stopSignal } from './stop-signals.ts'
import { keepTickShape } from './tick-shape.ts'
import { UsageError } from './usage-error.ts'

/** Exit code for what whoever typed the command can mend. */
const USAGE_EXIT_CODE = 2

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
    const stop = stopSignal()
    const served = await serve(options, (text) => process.stdout.write(text))
    await stop
    await served.close()
  }),
)

for (const command of program.commands) command.copyInheritedSettings(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE
  else if (error instanceof UsageError) {
    process.stderr.write(`slotwire: ${error.message}\n`)
    process.exitCode = USAGE_EXIT_CODE
  } else throw error
}
