import { type Grant, hasForm, isGrant } from '@slotwire/client'
import { extensionPaths, type ValueOf } from '@slotwire/contract'
import { visible } from '@slotwire/core'
import { leaseContract } from '@slotwire/events'
import { Command } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { textOf } from '../terminal/files.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { wholeNumber, words } from '../terminal/word.ts'
import { formatLine, formatRows } from './output.ts'
import { duration, slotNumber } from './values.ts'
import { type DeviceCall, type DeviceCommandOptions, deviceCommand, onDevice } from './with-device.ts'

const PATH = extensionPaths.leases
const LEASES = leaseContract.endpoints.listLeases.reply
const MS_PER_S = 1000
const TTL_MS = 60_000

interface TakeOptions extends DeviceCommandOptions {
  readonly holder: string
  readonly ttl?: number
  readonly safe: boolean
  readonly force: boolean
}

/** `slotwire lease take|list|renew|give-back`. */
export function leaseCommand(context: CommandContext): Command {
  return new Command('lease')
    .description('Be the only writer of some slots')
    .addCommand(takeCommand(context))
    .addCommand(listCommand(context))
    .addCommand(endCommand('renew', 'Renew a lease for its time', 'PUT', 'Renewed', context))
    .addCommand(endCommand('give-back', 'Give a lease back', 'DELETE', 'Gave back', context))
    .addHelpText(
      'after',
      examples('lease take 3 --holder bench > lease.txt', 'lease list', 'lease give-back 1 --lease lease.txt'),
    )
}

function takeCommand(context: CommandContext): Command {
  const line = 'lease take 3 5 --holder bench --ttl 5m > lease.txt'
  const command = deviceCommand('take', 'Take a lease and print its secret', line)
    .argument('<slots...>', 'the slots, as in 3 5', words(slotNumber))
    .requiredOption('--holder <name>', 'Who writes, shown to others')
    .option('--ttl <time>', 'Lapse after, 5s to 1h (default: 60s)', duration('ttl'))
    .option('--safe', 'Reset io modules when it lapses', false)
    .option('--force', 'Take the slots over from another lease', false)
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall<TakeOptions>, slots: readonly number[]) => {
    const body = {
      slots,
      holder: options.holder,
      ttl_seconds: (options.ttl ?? TTL_MS) / MS_PER_S,
      on_lapse: options.safe ? 'safe' : 'keep',
      ...(options.force ? { force: true } : {}),
    }
    const grant = await device.context.http.request({ method: 'POST', path: PATH, body, signal, accepts: isGrant })
    const { number, secret, expires_at: until } = grant as Grant & { readonly expires_at: unknown }
    context.print(formatLine({ secret }, options.format, grant))
    const lease = `Lease ${number} of slot ${slots.join(', ')} until ${visible(String(until))}.`
    context.hint(`${lease} Its secret is shown only once: send it with --lease.\n`)
  })
}

function listCommand(context: CommandContext): Command {
  const command = deviceCommand('list', 'List the leases', 'lease list')
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall) => {
    const accepts = (answer: unknown): boolean => hasForm(LEASES, answer)
    const { leases } = (await device.extension(PATH, { signal, accepts })) as ValueOf<typeof LEASES>
    const rows = leases.map(({ number, slots, holder, token = '', seconds_left, on_lapse }) => {
      return { number, slots: slots.join(' '), holder, token, seconds_left, on_lapse }
    })
    context.print(formatRows(rows, options.format, leases))
    if (rows.length === 0) context.hint('No slot is leased.\n')
  })
}

function endCommand(name: string, about: string, method: 'PUT' | 'DELETE', done: string, context: CommandContext): Command {
  const lease = wholeNumber('lease', 1, Number.MAX_SAFE_INTEGER)
  const command = deviceCommand(name, about, `lease ${name} 1 --lease lease.txt`).argument(
    '<number>',
    'number of the lease',
    lease,
  )
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall, number: number) => {
    if (options.lease === undefined) throw new UsageError('name the file with the secret of the lease: --lease <file>')
    const headers = { 'slotwire-lease': textOf(options.lease, 'secret') }
    const body = method === 'PUT' ? { body: {} } : {}
    await device.context.http.request({ method, path: `${PATH}/${number}`, headers, signal, ...body })
    context.hint(`${done} lease ${number}.\n`)
  })
}
