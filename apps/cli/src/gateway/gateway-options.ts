import { localOrigin } from '@slotwire/gateway'
import { Command, InvalidArgumentError } from 'commander'
import { addNetworkOptions, type NetworkOptions } from '../run/network-options.ts'
import { examples } from '../terminal/help.ts'

/** The options of `slotwire gateway`, checked. */
export interface GatewayCommandOptions extends NetworkOptions {
  /** URLs of the services, by service name; undefined: as configured. */
  readonly upstream?: Readonly<Record<string, string>>
}

function collectUpstream(known: readonly string[]) {
  return (text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
    const [name = '', ...rest] = text.split('=')
    if (!known.includes(name))
      throw new InvalidArgumentError(`must begin with one of ${known.join(', ')}, as in io=http://127.0.0.1:8002.`)
    const origin = localOrigin.read(rest.join('='))
    if ('problem' in origin) throw new InvalidArgumentError(origin.problem)
    return { ...before, [name]: origin.value }
  }
}

/** The `gateway` command with its options; `known` are the names of all module services. */
export function gatewayCommand(known: readonly string[], run: (options: GatewayCommandOptions) => Promise<void>): Command {
  return addNetworkOptions(new Command('gateway'))
    .description('Forward requests to services in other processes')
    .option('--upstream <name=url>', 'Forward a service to this URL; repeatable', collectUpstream(known))
    .addHelpText('after', examples('gateway --upstream io=http://127.0.0.1:8002 --listen 0.0.0.0'))
    .action((options: GatewayCommandOptions) => run(options))
}
