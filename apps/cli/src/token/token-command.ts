import type { Random } from '@slotwire/core'
import { BackupError, FileAuditLog, localEntry, systemUser, type Token, TokenError, TokenStore } from '@slotwire/gateway'
import { codeOf, UnreadableLockError } from '@slotwire/storage'
import { Command } from 'commander'
import { stateFolderOf, stateOption } from '../state/state-option.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/hint-log.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { parseExpiry } from './token-expiry.ts'
import { servicesParser } from './token-services.ts'
import { formatTokenTable } from './token-table.ts'

interface Options {
  readonly state?: string
  readonly json: boolean
}

interface CreateOptions extends Options {
  readonly name: string
  readonly readOnly: boolean
  readonly services?: readonly string[]
  readonly expires?: string
}

/** `slotwire token create|list|revoke`, for services of these names. Works whether the service runs or not. */
export function tokenCommand(services: readonly string[], context: CommandContext, random: Random): Command {
  const command = new Command('token').description('make, list and revoke the tokens that let clients in from the network')
  const add = (name: string, description: string): Command =>
    command.command(name).description(description).addOption(stateOption()).allowExcessArguments(false)
  const asJson = ['--json', 'print one line of JSON for programs instead of text', false] as const

  add('create', 'make a token; it is printed this once, and kept nowhere')
    .requiredOption('--name <text>', 'what the token is for, to know it again')
    .option('--read-only', 'it may read, and change nothing', false)
    .option(
      '--services <names>',
      `which of ${services.join(', ')} it opens, separated by commas; all if not given`,
      servicesParser(services),
    )
    .option('--expires <when>', 'for how long (90d, 12h, 2w) or until when (2027-01-31); for ever if not given', (text: string) =>
      parseExpiry(text, context.wallTime()),
    )
    .option(...asJson)
    .action((options: CreateOptions) => usingTokens(options, () => create(options, context, random)))
  add('list', 'list the tokens: what they may, until when, and when they were used last')
    .option(...asJson)
    .action((options: Options) => usingTokens(options, async () => list(options, context, random)))
  add('revoke', 'end a token; it lets nobody in from now on')
    .argument('<name-or-id>')
    .option(...asJson)
    .action((nameOrId: string, options: Options) => usingTokens(options, () => revoke(nameOrId, options, context, random)))
  return command
}

async function create(options: CreateOptions, context: CommandContext, random: Random): Promise<void> {
  const { name, readOnly, services, expires } = options
  const { text, token } = await storeOf(options, context, random).create({ name, readOnly, services, expires })
  audit(options, context, 'token.create', token)
  if (options.json) {
    context.print(`${JSON.stringify({ token: text, ...jsonOf(token) })}\n`)
    return
  }
  context.print(`${text}\n`)
  context.hint(
    `${describe(token)}\nIt is shown this once. Clients send it by HTTP Basic: user name "token", the token as password.\n`,
  )
}

function list(options: Options, context: CommandContext, random: Random): void {
  const tokens = storeOf(options, context, random).list()
  if (options.json)
    context.print(`${JSON.stringify(tokens.map((token) => ({ ...jsonOf(token), lastUsed: token.lastUsed ?? null })))}\n`)
  else if (tokens.length > 0) context.print(formatTokenTable(tokens, context.wallTime()))
  else context.hint('There are no tokens: nobody is let in from the network. Make one with slotwire token create --name <text>\n')
}

async function revoke(nameOrId: string, options: Options, context: CommandContext, random: Random): Promise<void> {
  const token = await storeOf(options, context, random).revoke(nameOrId)
  audit(options, context, 'token.revoke', token)
  if (options.json) context.print(`${JSON.stringify({ revoked: jsonOf(token) })}\n`)
  else context.print(`Revoked the token ${JSON.stringify(token.name)} (${token.id}).\n`)
}

function storeOf(options: Options, context: CommandContext, random: Random): TokenStore {
  const { clock, wallTime, hint } = context
  return new TokenStore({ folder: stateFolderOf(options, context), clock, wallTime, random, log: hintLog(hint) })
}

function audit(options: Options, context: CommandContext, action: string, token: Token): void {
  const { wallTime, hint, environment } = context
  const log = new FileAuditLog({ folder: stateFolderOf(options, context), wallTime, log: hintLog(hint) })
  log.add(localEntry(systemUser(environment), { action, what: jsonOf(token) }))
}

/** What JSON has of a token: every key always. */
function jsonOf({ id, name, readOnly, services, created, expires }: Token) {
  return { id, name, readOnly, services: services ?? null, created, expires: expires ?? null }
}

function describe({ id, name, readOnly, services, expires }: Token): string {
  const access = readOnly ? 'read-only' : 'full'
  const where = services === undefined ? 'all services' : services.join(', ')
  return `Token ${JSON.stringify(name)} (${id}): ${access} access to ${where}, ${expires === undefined ? 'until it is revoked' : `until ${expires}`}.`
}

/** What whoever typed the command can mend comes as `UsageError`. */
async function usingTokens(options: Options, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof TokenError || error instanceof BackupError) throw new UsageError(error.message, { cause: error })
    if (error instanceof UnreadableLockError || (error instanceof Error && codeOf(error) !== undefined)) {
      const remedy =
        options.state === undefined ? 'or name its state folder with --state <dir>' : 'or name another with --state <dir>'
      throw new UsageError(`${error.message}: run this as the user of the service, ${remedy}`, { cause: error })
    }
    throw error
  }
}
