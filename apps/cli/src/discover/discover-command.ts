import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { messageOf, type Random } from '@slotwire/core'
import type { HostNetwork } from '@slotwire/network'
import type { DiscoverOptions, FoundDevice } from '@slotwire/network/discover'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { formatDevices } from './discover-table.ts'

const DEFAULT_TIMEOUT_S = 3
const MAX_TIMEOUT_S = 60
const MS_PER_S = 1000
const NONE_FOUND_EXIT_CODE = 1

/** What `discover` needs from this program. */
export interface DiscoverContext extends Pick<CommandContext, 'print' | 'hint' | 'clock'> {
  readonly random: Random
  readonly network: HostNetwork
  readonly setExitCode: (code: number) => void
  readonly discover: (options: DiscoverOptions) => Promise<readonly FoundDevice[]>
}

interface Options {
  readonly timeout: number
  readonly token?: string
  readonly tokenFile?: string
  readonly ca?: string
  readonly insecure: boolean
  readonly json: boolean
}

/** `slotwire discover`. Exit code 0 if it found a device, otherwise 1. */
export function discoverCommand(context: DiscoverContext): Command {
  return new Command('discover')
    .description('Find devices in the network and test their services')
    .option('--timeout <seconds>', 'Listen for this long', parseTimeout, DEFAULT_TIMEOUT_S)
    .option('--token <token>', 'Send this token (visible in the list of processes)')
    .addOption(new Option('--token-file <file>', 'Send the token in this file').conflicts('token'))
    .option('--ca <file>', 'Also trust the authorities in this file (PEM)')
    .option('--insecure', 'Send the token to any device, even unencrypted', false)
    .option('--json', 'Print one line of JSON instead of text', false)
    .addHelpText('after', examples('discover', 'discover --token-file token.txt --ca authority.pem'))
    .allowExcessArguments(false)
    .action((options: Options) => run(options, context))
}

async function run({ timeout, token, tokenFile, ca, insecure, json }: Options, context: DiscoverContext): Promise<void> {
  const { network, clock, random, print, hint, setExitCode, discover } = context
  const shown = token ?? (tokenFile === undefined ? undefined : readToken(tokenFile))
  const authorities = ca === undefined ? undefined : readAuthorities(ca)
  const found = discover({
    network,
    clock,
    random,
    timeoutMs: timeout * MS_PER_S,
    insecure,
    ...(shown !== undefined && { token: shown }),
    ...(authorities !== undefined && { authorities }),
  })
  const devices = await found.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'MulticastUnavailable') throw error
    throw new UsageError(`cannot search any network: ${error.message}`, { cause: error })
  })
  // Programs get every key, null for unknown values.
  if (json) print(`${JSON.stringify({ devices }, (_key, value: unknown) => value ?? null)}\n`)
  else if (devices.length > 0) print(formatDevices(devices))
  else hint('No device found. Is its network door open (slotwire serve --listen)? Is it in the same network as this machine?\n')
  if (devices.length === 0) setExitCode(NONE_FOUND_EXIT_CODE)
}

function parseTimeout(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds <= 0 || seconds > MAX_TIMEOUT_S) {
    throw new InvalidArgumentError(`write a number of seconds, more than 0, at most ${MAX_TIMEOUT_S}.`)
  }
  return seconds
}

function readToken(file: string): string {
  const token = read(file).trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${file} does not contain a token: expected one line of text`)
  return token
}

function readAuthorities(file: string): string {
  const text = read(file)
  try {
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new UsageError(`${file} does not contain a certificate: expected PEM, -----BEGIN CERTIFICATE-----`, { cause: error })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${messageOf(error)})`, { cause: error })
  }
}
