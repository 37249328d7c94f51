import { fromIsoTime, isoTime, systemRandom } from '@slotwire/core'
import { type ListedToken, type Token, TokenStore } from '@slotwire/network'
import { Command, InvalidArgumentError } from 'commander'
import { serviceNames } from '../run/option-values.ts'
import { auditChange } from '../state/audit-change.ts'
import { addStateCommand, type StateOptions, stateFolderOf } from '../state/state-folder.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { hintLog } from '../terminal/standard-log.ts'
import { formatTable } from '../terminal/text.ts'
import { withUsageErrors } from '../terminal/usage-error.ts'

interface CreateOptions extends StateOptions {
  readonly name: string
  readonly readOnly: boolean
  readonly services?: readonly string[]
  readonly expires?: string
}

/** `slotwire token create|list|revoke`, for these module services. Works whether the service runs or not. */
export function tokenCommand(services: readonly string[], context: CommandContext): Command {
  const command = new Command('token')
    .description('Create, list and revoke tokens for the network')
    .addHelpText('after', examples('token create --name laptop', 'token list', 'token revoke laptop'))
  const servicesHelp = `Allow only some of ${services.join()}`
  const expiresHelp = 'End after 12h, 90d, 2w or on 2027-01-31 (default: never)'
  addStateCommand(command, 'create', 'Create a token and print it once', 'token create --name laptop --services io --expires 90d')
    .requiredOption('--name <text>', 'Describe what the token is for')
    .option('--read-only', 'Allow reading only', false)
    .option('--services <names>', servicesHelp, serviceNames(services))
    .option('--expires <when>', expiresHelp, (text: string) => parseExpiry(text, context.wallTime()))
    .action((options: CreateOptions) => withUsageErrors(() => create(options, context)))
  addStateCommand(command, 'list', 'List the tokens with rights, expiry and last use', 'token list').action(
    (options: StateOptions) => withUsageErrors(() => list(options, context)),
  )
  addStateCommand(command, 'revoke', 'Revoke a token immediately', 'token revoke laptop')
    .argument('<name-or-id>')
    .action((nameOrId: string, options: StateOptions) => withUsageErrors(() => revoke(nameOrId, options, context)))
  return command
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { name, readOnly, services, expires, json } = options
  const { text, token } = await storeOf(options, context).create({ name, readOnly, services, expires })
  auditChange(context, stateFolderOf(options, context), 'token.create', jsonOf(token))
  context.print(json ? `${JSON.stringify({ token: text, ...jsonOf(token) })}\n` : `${text}\n`)
  if (json) return
  context.hint(
    `${describe(token)}\nIt is shown only once. Clients send it as "Authorization: Bearer <token>", or with HTTP Basic: user name "token", the token as password.\n`,
  )
}

function list(options: StateOptions, context: CommandContext): void {
  const tokens = storeOf(options, context).list()
  if (options.json)
    context.print(`${JSON.stringify(tokens.map((token) => ({ ...jsonOf(token), lastUsed: token.lastUsed ?? null })))}\n`)
  else if (tokens.length > 0) context.print(formatTokenTable(tokens, context.wallTime()))
  else context.hint('There are no tokens: network clients have no access. Create one with slotwire token create --name <text>\n')
}

async function revoke(nameOrId: string, options: StateOptions, context: CommandContext): Promise<void> {
  const token = await storeOf(options, context).revoke(nameOrId)
  auditChange(context, stateFolderOf(options, context), 'token.revoke', jsonOf(token))
  if (options.json) context.print(`${JSON.stringify({ revoked: jsonOf(token) })}\n`)
  else context.print(`Revoked the token ${JSON.stringify(token.name)} (${token.id}).\n`)
}

function storeOf(options: StateOptions, context: CommandContext): TokenStore {
  return new TokenStore({ ...context, random: systemRandom, folder: stateFolderOf(options, context), log: hintLog(context.hint) })
}

/** A token as JSON, always with every key. */
function jsonOf({ id, name, readOnly, services, created, expires }: Token) {
  return { id, name, readOnly, services: services ?? null, created, expires: expires ?? null }
}

function describe({ id, name, readOnly, services, expires }: Token): string {
  const access = readOnly ? 'read-only' : 'full'
  const where = services === undefined ? 'all services' : services.join(', ')
  return `Token ${JSON.stringify(name)} (${id}): ${access} access to ${where}, ${expires === undefined ? 'until it is revoked' : `until ${expires}`}.`
}

/** Tokens as a table; `nowMs` decides which have expired. */
function formatTokenTable(tokens: readonly ListedToken[], nowMs: number): string {
  const rows = tokens.map(({ id, name, readOnly, services, created, expires, lastUsed }) => ({
    id,
    name,
    access: readOnly ? 'read-only' : 'full',
    services: services?.join(', ') ?? 'all',
    created: shortTime(created),
    expires: expires === undefined ? 'never' : `${fromIsoTime(expires) <= nowMs ? 'expired ' : ''}${shortTime(expires)}`,
    last_used: lastUsed === undefined ? 'never' : shortTime(lastUsed),
  }))
  return formatTable(rows)
}

/** In UTC, to the minute: `2026-11-21 14:26Z`. */
function shortTime(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`
}

const HOUR_MS = 3_600_000
const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS }
const DURATION = /^(\d{1,6})([hdw])$/
/** A date alone starts at midnight UTC. A time without a zone is local. */
const DATE = /^\d{4}-\d{2}-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/
const EXPECTED = 'expected a duration (12h, 90d, 2w) or a time (2027-01-31, 2027-01-31T18:00:00Z).'

/**
 * The value of `--expires` as a time in ISO 8601. Throws `InvalidArgumentError` if it is neither duration nor date, or not in the future.
 */
export function parseExpiry(text: string, nowMs: number): string {
  const end = endOf(text.trim(), nowMs)
  if (Number.isNaN(end)) throw new InvalidArgumentError(EXPECTED)
  if (end <= nowMs) throw new InvalidArgumentError(`it must be in the future: ${EXPECTED}`)
  return isoTime(end)
}

function endOf(text: string, nowMs: number): number {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  if (count !== undefined) return nowMs + Number(count) * (UNITS_MS[unit] ?? Number.NaN)
  const day = DATE.exec(text)?.[1]
  return day === undefined || !isDayOfMonth(text.slice(0, 10), day) ? Number.NaN : fromIsoTime(text)
}

/** JavaScript would take the 30th of February for the 2nd of March. */
function isDayOfMonth(date: string, day: string): boolean {
  const at = fromIsoTime(date)
  return !Number.isNaN(at) && isoTime(at).slice(8, 10) === day
}
