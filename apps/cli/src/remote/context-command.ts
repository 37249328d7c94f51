import { Command } from 'commander'
import { firstTrust } from '../client/first-trust.ts'
import { ClientError } from '../client.ts'
import { pathOf } from '../run/option-values.ts'
import { jsonOption } from '../state/state-option.ts'
import { withUsageErrors } from '../terminal/as-usage-error.ts'
import { examples } from '../terminal/help.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { Contexts } from './contexts.ts'
import { formatRows } from './output.ts'
import type { RemoteContext } from './remote-context.ts'
import { exitCodes, textOf } from './with-device.ts'

interface AddOptions {
  readonly tokenStdin: boolean
  readonly tokenFile?: string
  readonly ca?: string
  readonly trust: boolean
  readonly fingerprint?: string
}

/** `slotwire context add|list|use|remove`. */
export function contextCommand(context: RemoteContext): Command {
  const contexts = (): Contexts => new Contexts(context)
  const command = new Command('context')
    .description('Save how to reach devices')
    .addHelpText('after', examples('context add lab https://dev.local --trust --token-stdin', 'context list', 'context use lab'))
  command
    .command('add')
    .description('Save an address, a token and an authority')
    .argument('<name>', 'name of the context')
    .argument('<url>', 'address of the device')
    .option('--token-stdin', 'Read the token from standard input', false)
    .option('--token-file <file>', 'Read the token from a file', pathOf('file'))
    .option('--ca <file>', 'Trust only the authority in this file (PEM)', pathOf('file'))
    .option('--trust', 'Fetch the authority, show its fingerprint and ask', false)
    .option('--fingerprint <sha256>', 'Fetch the authority and compare it')
    .addHelpText('after', examples('context add lab https://dev.local --trust --token-stdin'))
    .action((name: string, url: string, options: AddOptions) => withUsageErrors(() => add(name, url, options, context)))
  command
    .command('list')
    .description('List the saved contexts')
    .addOption(jsonOption())
    .addHelpText('after', examples('context list'))
    .action((options: { readonly json: boolean }) => {
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
    })
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
          context.hint(`${done} ${name}.\n`)
        }),
      )
  return command
}

async function add(name: string, url: string, options: AddOptions, context: RemoteContext): Promise<void> {
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
  context: RemoteContext,
): Promise<string | undefined> {
  if (!trust && fingerprint === undefined) return undefined
  try {
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
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    context.setExitCode(exitCodes[error.kind])
    throw new UsageError(error.message, { cause: error })
  }
}
