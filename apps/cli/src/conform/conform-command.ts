import {
  type ConformCheck,
  type Effect,
  formatHtml,
  formatJson,
  formatJunit,
  formatText,
  judge,
  nodeWire,
  type PinAddress,
} from '@slotwire/conform'
import { messageOf, visible } from '@slotwire/core'
import { Command, InvalidArgumentError, Option } from 'commander'
import { pinTarget } from '../remote/values.ts'
import { confirm, DEFAULT_URL, type DeviceCommandOptions, reachOf } from '../remote/with-device.ts'
import { pathOf } from '../run/option-values.ts'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { OutputFile } from '../terminal/files.ts'
import { USAGE_EXIT_CODE, UsageError, withUsageErrors } from '../terminal/usage-error.ts'

interface ConformOptions extends Pick<DeviceCommandOptions, 'context' | 'tokenFile' | 'ca'> {
  readonly write?: true
  readonly disruptive?: true
  readonly wired?: readonly [PinAddress, PinAddress]
  readonly bench?: true
  readonly yes?: true
  readonly json?: true
  readonly junit?: string
  readonly html?: string
}

/** Exit code after a failed check. */
const FAILED_EXIT_CODE = 1
/** Moves to the start of the line and erases it. */
const ERASE = '\r\x1b[2K'
/** What to say before checks of an effect. */
const risks: Readonly<Partial<Record<Effect, string>>> = {
  wired: 'The first pin of --wired is driven, and all pins of both modules are reset.',
  bench: 'Pins and rails of the virtual device are driven beyond their limits, and its counters are cleared.',
  disruptive: 'The device restarts several times.',
}

/** `slotwire conform http://127.0.0.1:8080 --write --wired 5/1,5/2`. */
export function conformCommand(context: CommandContext): Command {
  return new Command('conform')
    .description('Check a device against the specification')
    .argument('[url]', `address of the device (default: ${DEFAULT_URL})`)
    .addOption(new Option('--context <name>', 'Use a saved context'))
    .option('--token-file <file>', 'Send the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only the authority in this file (PEM)', pathOf('file'))
    .option('--write', 'Also change settings')
    .option('--disruptive', 'Also restart the device')
    .option('--wired <pins>', 'Also drive the first of two pins that are wired together', wiredPins)
    .option('--bench', 'Also cause faults, and save settings, on a virtual device')
    .option('--yes', 'Do not ask')
    .option('--json', 'Print as JSON')
    .option('--junit <file>', 'Write the report as JUnit XML', pathOf('file'))
    .option('--html <file>', 'Write the report as a page', pathOf('file'))
    .addHelpText('after', examples('conform http://127.0.0.1:8080', 'conform --write --wired 5/1,5/2 --html report.html'))
    .action((url: string | undefined, options: ConformOptions) => withUsageErrors(() => conform(url, options, context)))
}

function wiredPins(text: string): readonly [PinAddress, PinAddress] {
  const [first, second, ...others] = text.split(',')
  if (first === undefined || second === undefined || first === second || others.length > 0)
    throw new InvalidArgumentError('write two pins, as in 5/1,5/2.')
  return [pinTarget(first), pinTarget(second)]
}

async function conform(url: string | undefined, options: ConformOptions, context: CommandContext): Promise<void> {
  const { wired, html, junit, json, yes = false } = options
  const chosen = (['write', 'disruptive', 'wired', 'bench'] as const).filter((effect) => options[effect] !== undefined)
  const reach = reachOf({ ...options, ...(url === undefined ? {} : { url }) }, context)
  const warnings = chosen.flatMap((effect) => risks[effect] ?? [])
  if (warnings.length > 0) await confirm(warnings.join(' '), yes, context)
  const stop = new AbortController()
  void context.stopped().then(() => stop.abort(new Error('a stop signal came')))
  const files = [
    { file: html, option: '--html', format: formatHtml },
    { file: junit, option: '--junit', format: formatJunit },
  ].flatMap(({ file, option, format }) => {
    return file === undefined ? [] : [{ format, output: new OutputFile(file, option, () => undefined) }]
  })
  const bar = process.stderr.isTTY ? (text: string) => process.stderr.write(`${ERASE}${text}`) : undefined
  const onProgress = (done: number, count: number, { id }: ConformCheck) =>
    bar?.(`${Math.floor((done / count) * 100)} %  ${done}/${count}  ${id}`.slice(0, 79))
  const judgement = async () =>
    judge(nodeWire(reach, context.clock), { effects: ['read', ...chosen], wired, signal: stop.signal, onProgress })
  const report = await judgement().catch((error: unknown) => {
    bar?.('')
    throw new UsageError(`the device cannot be judged: ${visible(messageOf(error))}`, { cause: error })
  })
  bar?.('')
  for (const { format, output } of files) {
    output.write(format(report))
    output.close()
  }
  context.print(json ? formatJson(report) : formatText(report))
  if (report.stopped !== undefined) context.setExitCode(USAGE_EXIT_CODE)
  else if (report.results.some(({ outcome }) => outcome === 'failed')) context.setExitCode(FAILED_EXIT_CODE)
}
