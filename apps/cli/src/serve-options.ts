import { Command, InvalidArgumentError, Option } from 'commander'
import { addNetworkOptions, type NetworkOptions } from './network-options.ts'

/** What `slotwire serve` was told, checked. */
export interface ServeOptions extends NetworkOptions {
  readonly resetState: boolean
  readonly services: readonly string[]
  readonly powerMode: 'strict' | 'weak'
  readonly bus: 'instant' | 'timed'
}

function parseServices(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new InvalidArgumentError(`one or more of ${known.join(', ')}, separated by commas.`)
    return [...new Set(names)]
  }
}

/** The `serve` command with its options; `known` are the services there are. */
export function serveCommand(known: readonly string[], run: (options: ServeOptions) => Promise<void>): Command {
  const powerMode = new Option('--power-mode <mode>', 'weak also grants more power than there is, with a warning')
  const bus = new Option('--bus <mode>', 'timed takes as long as the real bus')
  return addNetworkOptions(new Command('serve'))
    .description('serve a virtual device: to this machine without credentials, to the network if told to, with tokens')
    .option('--reset-state', 'forget what the modules have saved', false)
    .option('--services <names>', `which of ${known.join(', ')} to serve, separated by commas`, parseServices(known), known)
    .addOption(powerMode.choices(['strict', 'weak']).default('strict'))
    .addOption(bus.choices(['instant', 'timed']).default('instant'))
    .action(async (options: ServeOptions) => run(options))
}
