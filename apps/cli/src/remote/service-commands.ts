import { shortName } from '@slotwire/client'
import { type Contract, type Endpoint, type Schema, wordOf } from '@slotwire/contract'
import * as contracts from '@slotwire/modules/contracts'
import { Command, Option } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { wholeNumber, word } from '../terminal/word.ts'
import { formatReply } from './output.ts'
import { slotNumber } from './values.ts'
import { confirm, type DeviceCall, type DeviceCommandOptions, deviceCommand, onDevice } from './with-device.ts'

type Options = DeviceCommandOptions & { readonly slot?: number; readonly yes?: boolean } & Readonly<Record<string, unknown>>

/** A module whose endpoint is only known by its name. */
interface UntypedModule {
  call(name: string, ...values: readonly unknown[]): Promise<unknown>
}

/** `slotwire bmc …`, `slotwire power …`: a command for each endpoint of a contract, with its bounds and units. */
export function serviceCommand(service: 'bmc' | 'power', context: CommandContext): Command {
  const contract: Contract = contracts[service]
  const group = new Command(service).description(`Use the ${contract.title.toLowerCase()}`)
  const entries = Object.entries(contract.endpoints)
  for (const [name, endpoint] of entries) group.addCommand(endpointCommand(service, name, endpoint, context))
  return group.addHelpText('after', examples(...entries.slice(0, 2).map(([name]) => `${service} ${words(shortName(name))}`)))
}

const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')

const MILLI = 1000

/** A value of an example as users write it: `5A` for 5000 mA. */
function shown(value: unknown, schema: Schema): string {
  const unit = unitOf(schema) ?? ''
  const isWhole = typeof value === 'number' && value > 0 && value % MILLI === 0 && /^m[VAWs]$/.test(unit)
  return isWhole ? `${value / MILLI}${unit.slice(1)}` : String(value)
}

const unitOf = (schema: Schema): string | undefined => ('x-unit' in schema ? schema['x-unit'] : undefined)

/** A field that a body needs with this one value. */
const isFixed = (schema: Schema): schema is Schema & { readonly const: string } => 'const' in schema

function endpointCommand(service: 'bmc' | 'power', name: string, endpoint: Endpoint, context: CommandContext): Command {
  const { summary, body, example = {}, parameters = {}, danger } = endpoint
  const properties = Object.entries(body?.properties ?? {})
  const fields = properties.filter(([, schema]) => !isFixed(schema))
  const fixed = properties.flatMap(([field, schema]) => (isFixed(schema) ? [[field, schema.const] as const] : []))
  const isRisky = danger !== undefined || endpoint.reach === 'device'
  const typed = words(shortName(name))
  const line = [
    `${service} ${typed}`,
    ...Object.values(parameters).map((parameter) => String(parameter.example)),
    ...fields.flatMap(([field, schema]) =>
      example[field] === undefined ? [] : [`--${words(field)} ${shown(example[field], schema)}`],
    ),
    ...(isRisky ? ['--yes'] : []),
  ]
  const command = deviceCommand(typed, summary, line.join(' '))
  for (const [parameter, { description }] of Object.entries(parameters))
    command.argument(`<${parameter}>`, description ?? '', wholeNumber(parameter, 0, Number.MAX_SAFE_INTEGER))
  for (const [field, schema] of fields) command.addOption(fieldOption(field, schema, body?.required.includes(field) === true))
  command.option('--slot <number>', 'Slot of the module (default: the only one)', slotNumber)
  if (isRisky) command.option('--yes', 'Do not ask', false)
  const units = unitsIn(endpoint.reply)
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall<Options>, ...values: readonly unknown[]) => {
    const effect = danger ?? `${summary}: this can end the work of other programs.`
    if (isRisky) await confirm(effect, options.yes === true, context)
    const input = Object.fromEntries([
      ...Object.keys(parameters).map((parameter, index) => [parameter, values[index]] as const),
      ...fixed,
      ...fields.map(([field]) => [field, options[camel(field)]] as const).filter(([, value]) => value !== undefined),
    ])
    const module = device.module(service, options.slot) as unknown as UntypedModule
    const hasInput = body !== undefined || Object.keys(parameters).length > 0
    const reply = await module.call(name, ...(hasInput ? [input] : []), { signal })
    if (endpoint.effect === 'read' || options.format !== 'table') context.print(formatReply(reply, options.format, units))
    else context.hint('Done.\n')
  })
}

/** As commander names the option `--limit-3v3`. */
const camel = (field: string): string => words(field).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

function fieldOption(field: string, schema: Schema, isRequired: boolean): Option {
  const unit = unitOf(schema)
  const kind = schema.type === 'boolean' ? 'bool' : (unit ?? (schema.type === 'string' ? 'word' : 'number'))
  const option = new Option(`--${words(field)} <${kind}>`, `Set ${field}`).makeOptionMandatory(isRequired)
  if (schema.type === 'string') return 'enum' in schema ? option.choices(schema.enum) : option
  return option.argParser(word(field, wordOf(schema)))
}

/** The units of all fields of a reply. */
function unitsIn(schema: Schema, name = ''): ReadonlyMap<string, string> {
  if (schema.type === 'array') return unitsIn(schema.items, name)
  if (schema.type === 'object')
    return new Map(Object.entries(schema.properties).flatMap(([field, each]) => [...unitsIn(each, field)]))
  const unit = unitOf(schema)
  return new Map(unit === undefined ? [] : [[name, unit]])
}
