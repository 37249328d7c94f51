import { baseUrl } from '@slotwire/client'
import { Command, Option } from 'commander'
import { firstTrust } from '../client/first-trust.ts'
import { pathOf } from '../run/option-values.ts'
import { jsonOption } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { UsageError, withUsageErrors } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'
import { formatRows } from './output.ts'
import { withClientErrors } from './with-device.ts'

interface AddOptions {
  readonly tokenStdin: boolean
  readonly tokenFile?: string
  readonly ca?: string
  readonly trust: boolean
  readonly fingerprint?: string
}

/** `slotwire context add|list|use|remove`. */
export function contextCommand(context: CommandContext): Command {
  const contexts = (): Contexts => new Contexts(context)
  const command = new Command('context')
    .description('Save how to reach devices')
    .addHelpText(
      'after',
      examples('context add lab https://dev.local --trust --token-file token.txt', 'context list', 'context use lab'),
    )
  command
    .command('add')
    .description('Save an address, a token and an authority')
    .argument('<name>', 'name of the context')
    .argument('<url>', 'address of the device')
    .addOption(new Option('--token-stdin', 'Read the token from standard input').default(false).conflicts('tokenFile'))
    .option('--token-file <file>', 'Read the token from a file', pathOf('file'))
    .addOption(
      new Option('--ca <file>', 'Trust only the authority in this file (PEM)')
        .argParser(pathOf('file'))
        .conflicts(['trust', 'fingerprint']),
    )
    .option('--trust', 'Fetch the authority, show its fingerprint and ask', false)
    .option('--fingerprint <sha256>', 'Fetch the authority and compare it')
    .addHelpText('after', examples('context add lab https://dev.local --trust --token-file token.txt'))
    .action((name: string, url: string, options: AddOptions) =>
      withUsageErrors(() => withClientErrors(context, () => add(name, url, options, context))),
    )
  command
    .command('list')
    .description('List the saved contexts')
    .addOption(jsonOption())
    .addHelpText('after', examples('context list'))
    .action((options: { readonly json: boolean }) =>
      withUsageErrors(() => {
        const { current, contexts: saved } = contexts().read()
        const rows = Object.entries(saved).map(([name, { url, token, ca }]) => ({
          name,
          url,
          token: token === undefined ? 'none' : 'saved',
          authority: ca === undefined ? 'none' : 'saved',
          current: name === current,
        }))
        context.print(formatRows(rows, options.json ? 'json' : 'table'))
        if (rows.length === 0) context.hint('No context is saved: the commands use http://127.0.0.1:8080.\n')
      }),
    )
  for (const [verb, about, done] of [
    ['use', 'Use a context by default', 'The default is now'],
    ['remove', 'Forget a context and its token', 'Removed'],
  ] as const)
    command
      .command(verb)
      .description(about)
      .argument('<name>', 'name of the context')
      .addHelpText('after', examples(`context ${verb} lab`))
      .action((name: string) =>
        withUsageErrors(() => {
          contexts()[verb](name)
          const { current } = contexts().read()
          const rest = current === undefined ? ' No context is the default now: the commands use http://127.0.0.1:8080.' : ''
          context.hint(`${done} ${name}.${rest}\n`)
        }),
      )
  return command
}

async function add(name: string, url: string, options: AddOptions, context: CommandContext): Promise<void> {
  baseUrl(url)
  const token = options.tokenStdin
    ? (await context.input()).trim()
    : options.tokenFile === undefined
      ? undefined
      : textOf(options.tokenFile, 'token')
  if (token === '') throw new UsageError('the token on standard input is empty')
  const ca = options.ca === undefined ? await trusted(url, options, context) : textOf(options.ca, 'authority')
  new Contexts(context).add(name, { url, token, ca })
  context.hint(`Saved ${name}.\n`)
}

/** The authority of the device, if the user wants to trust it. */
async function trusted(
  url: string,
  { trust, fingerprint, tokenStdin }: AddOptions,
  context: CommandContext,
): Promise<string | undefined> {
  if (!trust && fingerprint === undefined) return undefined
  const shown = await firstTrust(url, { fingerprint, clock: context.clock })
  if (fingerprint !== undefined) return shown.ca
  if (context.ask === undefined || tokenStdin)
    throw new UsageError(
      `the authority has the fingerprint ${shown.fingerprint}: compare it on the device with slotwire cert show, then repeat with --fingerprint`,
    )
  if (
    await context.ask(
      `The authority has the fingerprint ${shown.fingerprint}. Does slotwire cert show on the device say the same? [y/N] `,
    )
  )
    return shown.ca
  throw new UsageError('not trusted: nothing was saved')
}
