import { writeFileSync } from 'node:fs'
import {
  type Effect,
  formatHtml,
  formatJson,
  formatJunit,
  formatText,
  judge,
  nodeWire,
  type Pin,
  type Report,
} from '@slotwire/conform'
import { codeOf, messageOf } from '@slotwire/core'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { RemoteContext } from '../remote/remote-context.ts'
import { pinTarget } from '../remote/values.ts'
import { confirm, DEFAULT_URL, reachOf } from '../remote/with-device.ts'
import { pathOf } from '../run/option-values.ts'
import { examples } from '../terminal/command-context.ts'
import { USAGE_EXIT_CODE, UsageError, withUsageErrors } from '../terminal/usage-error.ts'

interface ConformOptions {
  readonly context?: string
  readonly tokenFile?: string
  readonly ca?: string
  readonly write: boolean
  readonly disruptive: boolean
  readonly wired?: readonly [Pin, Pin]
  readonly bench: boolean
  readonly yes: boolean
  readonly json: boolean
  readonly junit?: string
  readonly html?: string
}

/** Exit code after a failed check. */
const FAILED_EXIT_CODE = 1
/** Moves to the start of the line and erases it. */
const ERASE = '\r\x1b[2K'

/** `slotwire conform http://127.0.0.1:8080 --write --wired 5/1,5/2`. */
export function conformCommand(context: RemoteContext): Command {
  return new Command('conform')
    .description('Check a device against the specification')
    .argument('[url]', `address of the device (default: ${DEFAULT_URL})`)
    .addOption(new Option('--context <name>', 'Use a saved context'))
    .option('--token-file <file>', 'Send the token in this file', pathOf('file'))
    .option('--ca <file>', 'Trust only the authority in this file (PEM)', pathOf('file'))
    .option('--write', 'Also change settings', false)
    .option('--disruptive', 'Also restart the device', false)
    .option('--wired <pins>', 'Also drive the first of two pins that are wired together', wiredPins)
    .option('--bench', 'Also cause faults, and save settings, on a virtual device', false)
    .option('--yes', 'Do not ask', false)
    .option('--json', 'Print as JSON', false)
    .option('--junit <file>', 'Write the report as JUnit XML', pathOf('file'))
    .option('--html <file>', 'Write the report as a page', pathOf('file'))
    .addHelpText('after', examples('conform http://127.0.0.1:8080', 'conform --write --wired 5/1,5/2 --html report.html'))
    .action((url: string | undefined, options: ConformOptions) => withUsageErrors(() => conform(url, options, context)))
}

function wiredPins(text: string): readonly [Pin, Pin] {
  const [first, second, ...others] = text.split(',')
  if (first === undefined || second === undefined || first === second || others.length > 0)
    throw new InvalidArgumentError('write two pins, as in 5/1,5/2.')
  return [pinTarget(first), pinTarget(second)]
}

async function conform(url: string | undefined, options: ConformOptions, context: RemoteContext): Promise<void> {
  const { wired, html, junit, json } = options
  const effects: readonly Effect[] = [
    'read',
    ...(['write', 'disruptive', 'bench'] as const).filter((effect) => options[effect]),
    ...(wired === undefined ? [] : (['wired'] as const)),
  ]
  const reach = reachOf({ ...options, ...(url === undefined ? {} : { url }) }, context)
  const wire = wireOf(reach, context)
  const risks = [
    ...(wired === undefined ? [] : [`Pin ${wired[0].slot}/${wired[0].pin} is driven, and all pins of its module are reset.`]),
    ...(options.bench
      ? ['Pins and rails of the virtual device are driven beyond their limits, and its counters are cleared.']
      : []),
    ...(options.disruptive ? ['The device restarts several times.'] : []),
  ]
  if (risks.length > 0) await confirm(risks.join(' '), options.yes, context)
  const stop = new AbortController()
  void context.stopped().then(() => stop.abort(new Error('a stop signal came')))
  const bar = process.stderr.isTTY ? (text: string) => process.stderr.write(`${ERASE}${text}`) : undefined
  let report: Report
  try {
    report = await judge(wire, {
      effects,
      wired,
      signal: stop.signal,
      onProgress: (done, count, { id }) => bar?.(`${Math.floor((done / count) * 100)} %  ${done}/${count}  ${id}`.slice(0, 79)),
    })
  } catch (error) {
    throw new UsageError(`the device cannot be judged: ${messageOf(error)}`, { cause: error })
  } finally {
    bar?.('')
  }
  writeReport(html, '--html', () => formatHtml(report))
  writeReport(junit, '--junit', () => formatJunit(report))
  context.print(json ? formatJson(report) : formatText(report))
  const isFailed = report.results.some(({ outcome }) => outcome === 'failed')
  if (report.stopped !== undefined) context.setExitCode(USAGE_EXIT_CODE)
  else if (isFailed) context.setExitCode(FAILED_EXIT_CODE)
}

function wireOf({ url, token, ca }: ReturnType<typeof reachOf>, { clock }: RemoteContext) {
  try {
    return nodeWire(url, { clock, ...(token === undefined ? {} : { token }), ...(ca === undefined ? {} : { ca }) })
  } catch (error) {
    throw new UsageError(`the address of the device is invalid: ${messageOf(error)}: write one as in http://127.0.0.1:8080`, {
      cause: error,
    })
  }
}

function writeReport(file: string | undefined, option: string, text: () => string): void {
  if (file === undefined) return
  try {
    writeFileSync(file, text())
  } catch (error) {
    throw new UsageError(`${option} cannot write ${file} (${codeOf(error)}): name a file that you may write`, { cause: error })
  }
}
