import { Command, InvalidArgumentError, Option } from 'commander'
import { addNetworkOptions, type NetworkOptions } from './network-options.ts'

/** What `slotwire serve` was told, checked. */
export interface ServeOptions extends NetworkOptions {
  readonly resetState: boolean
  readonly services: readonly string[]
  readonly powerMode: 'strict' | 'weak'
  readonly bus: 'instant' | 'timed'
  /** Whether the bench can be reached over HTTP. */
  readonly bench: boolean
  /** How many devices to serve, each on a port of its own; undefined: one, with a state folder and doors for the network. */
  readonly twins?: number
}

/** Most devices that one process serves. */
export const MOST_TWINS = 1000

function parseTwins(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_TWINS)
    throw new InvalidArgumentError(`a whole number from 1 to ${MOST_TWINS}.`)
  return count
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
    .option('--no-bench', 'leave out the bench over HTTP: wiring, faults, time')
    .option('--twins <number>', `serve so many devices, 1 to ${MOST_TWINS}, at consecutive ports: for load tests`, parseTwins)
    .action(async (options: ServeOptions) => run(options))
}
