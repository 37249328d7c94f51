import { localOrigin } from '@slotwire/gateway'
import { Command, InvalidArgumentError } from 'commander'
import { addNetworkOptions, type NetworkOptions } from '../run/network-options.ts'

/** What `slotwire gateway` was told, checked. */
export interface GatewayCommandOptions extends NetworkOptions {
  /** Where services run, by name; undefined: as the settings say. */
  readonly upstream?: Readonly<Record<string, string>>
}

function collectUpstream(known: readonly string[]) {
  return (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
    const [name = '', ...rest] = text.split('=')
    if (!known.includes(name))
      throw new InvalidArgumentError(`begins with one of ${known.join(', ')}, as in io=http://127.0.0.1:8002.`)
    const origin = localOrigin.read(rest.join('='))
    if ('problem' in origin) throw new InvalidArgumentError(origin.problem)
    return { ...before, [name]: origin.value }
  }
}

/** The `gateway` command with its options; `known` are the services there are. */
export function gatewayCommand(known: readonly string[], run: (options: GatewayCommandOptions) => Promise<void>): Command {
  return addNetworkOptions(new Command('gateway'))
    .description('be the door of services that run as processes of their own, each on a port of this machine')
    .option('--upstream <name=url>', 'where a service runs: io=http://127.0.0.1:8002; once for each', collectUpstream(known))
    .action((options: GatewayCommandOptions) => run(options))
}
