import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Random } from '@slotwire/core'
import type { HostNetwork } from '@slotwire/gateway'
import type { DiscoverOptions, FoundDevice } from '@slotwire/gateway/discover'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { formatDevices } from './discover-table.ts'

const DEFAULT_TIMEOUT_S = 3
const MAX_TIMEOUT_S = 60
const MS_PER_S = 1000
const NONE_FOUND_EXIT_CODE = 1

/** What `discover` has of its surroundings. */
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

/** `slotwire discover`: exit code 0 when a device was found, 1 when none was. */
export function discoverCommand(context: DiscoverContext): Command {
  return new Command('discover')
    .description('find devices in the networks of this machine, and say whether their services can be used')
    .option('--timeout <seconds>', 'how long to listen', parseTimeout, DEFAULT_TIMEOUT_S)
    .option('--token <token>', 'try the services with this token; others on this machine can see it, unlike in a file')
    .addOption(new Option('--token-file <file>', 'try the services with the token in this file').conflicts('token'))
    .option('--ca <file>', 'trust the certificate authorities in this file too (PEM)')
    .option('--insecure', 'show the token to every device that is found, also unencrypted', false)
    .option('--json', 'print one line of JSON for programs instead of text', false)
    .allowExcessArguments(false)
    .action((options: Options) => run(options, context))
}

async function run({ timeout, token, tokenFile, ca, insecure, json }: Options, context: DiscoverContext): Promise<void> {
  const { network, clock, random, print, hint, setExitCode, discover } = context
  const shown = token ?? (tokenFile === undefined ? undefined : readToken(tokenFile))
  const authorities = ca === undefined ? undefined : readAuthorities(ca)
  const looked = discover({
    network,
    clock,
    random,
    timeoutMs: timeout * MS_PER_S,
    insecure,
    ...(shown !== undefined && { token: shown }),
    ...(authorities !== undefined && { authorities }),
  })
  const devices = await looked.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'MulticastUnavailable') throw error
    throw new UsageError(`no network can be searched: ${error.message}`, { cause: error })
  })
  // Every key always, also those of which nothing is known.
  if (json) print(`${JSON.stringify({ devices }, (_key, value: unknown) => value ?? null)}\n`)
  else if (devices.length > 0) print(formatDevices(devices))
  else hint('No device was found. Is its network door open (slotwire serve --listen), and is it in a network of this machine?\n')
  if (devices.length === 0) setExitCode(NONE_FOUND_EXIT_CODE)
}

function parseTimeout(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds <= 0 || seconds > MAX_TIMEOUT_S) {
    throw new InvalidArgumentError(`a number of seconds, more than 0, at most ${MAX_TIMEOUT_S}.`)
  }
  return seconds
}

function readToken(file: string): string {
  const token = read(file).trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${file} holds no token: one line of text is expected`)
  return token
}

function readAuthorities(file: string): string {
  const text = read(file)
  try {
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new UsageError(`${file} holds no certificate: PEM is expected, -----BEGIN CERTIFICATE-----`, { cause: error })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${error instanceof Error ? error.message : String(error)})`, { cause: error })
  }
}
