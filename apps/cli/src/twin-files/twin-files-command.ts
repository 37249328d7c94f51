import { DEFAULT_SETTINGS } from '@slotwire/network'
import { Argument, Command, Option } from 'commander'
import { addLogOptions, type LogOptions, pathOf, port } from '../run/option-values.ts'
import { examples } from '../terminal/command-context.ts'

/** The options of `slotwire twin-files`, checked. */
export interface TwinFilesOptions extends LogOptions {
  readonly folder: string
  readonly port: number
  readonly bus: 'instant' | 'timed'
  readonly json: boolean
}

/** The `twin-files` command with its options. */
export function twinFilesCommand(run: (options: TwinFilesOptions) => Promise<void>): Command {
  const bus = new Option('--bus <mode>', 'Set bus timing')
  const command = new Command('twin-files')
    .description("Show a virtual device as the kernel driver's files")
    .addArgument(new Argument('<folder>', 'New or empty folder for sys and dev').argParser(pathOf('folder')))
    .option('--port <number>', 'Serve the bench at this loopback port', port, DEFAULT_SETTINGS.loopbackPort)
    .addOption(bus.choices(['instant', 'timed']).default('instant'))
    .option('--json', 'Print the paths and the URL as one line of JSON', false)
  return addLogOptions(command, 'warn')
    .addHelpText('after', examples('twin-files device', 'twin-files /tmp/device --port 0 --bus timed --json'))
    .action((folder: string, options: Omit<TwinFilesOptions, 'folder'>) => run({ ...options, folder }))
}
