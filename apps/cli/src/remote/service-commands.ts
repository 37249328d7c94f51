import { shortName } from '@slotwire/client'
import { type Contract, type Endpoint, type Schema, wordOf } from '@slotwire/contract'
import * as contracts from '@slotwire/modules/contracts'
import { Argument, Command, Option } from 'commander'
import { examples } from '../terminal/command-context.ts'
import { wholeNumber, word } from '../terminal/word.ts'
import { fieldRows, formatRows } from './output.ts'
import type { RemoteContext } from './remote-context.ts'
import { slotNumber } from './values.ts'
import { confirm, type DeviceCommandOptions, deviceCommand, withDevice } from './with-device.ts'

type Options = DeviceCommandOptions & { readonly slot?: number; readonly yes?: boolean } & Readonly<Record<string, unknown>>

/** A module whose endpoint is only known by its name. */
interface UntypedModule {
  call(name: string, ...given: readonly unknown[]): Promise<unknown>
}

/** `slotwire bmc …`, `slotwire power …`: a command for each endpoint of a contract, with its bounds and units. */
export function serviceCommand(service: 'bmc' | 'power', context: RemoteContext): Command {
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

function endpointCommand(service: 'bmc' | 'power', name: string, endpoint: Endpoint, context: RemoteContext): Command {
  const fields = Object.entries(endpoint.body?.properties ?? {}).filter(([, schema]) => !isFixed(schema))
  const fixed = Object.entries(endpoint.body?.properties ?? {}).filter(([, schema]) => isFixed(schema))
  const parameters = Object.keys(endpoint.parameters ?? {})
  const isRisky = endpoint.danger !== undefined || endpoint.reach === 'device'
  const typed = `${service} ${words(shortName(name))}`
  const example = [
    typed,
    ...parameters.map((each) => String(endpoint.parameters?.[each]?.example)),
    ...fields.flatMap(([field, schema]) =>
      endpoint.example?.[field] === undefined ? [] : [`--${words(field)} ${shown(endpoint.example[field], schema)}`],
    ),
  ]
  const command = deviceCommand(words(shortName(name)), endpoint.summary, `${example.join(' ')}${isRisky ? ' --yes' : ''}`)
  for (const each of parameters)
    command.addArgument(
      new Argument(`<${each}>`, endpoint.parameters?.[each]?.description).argParser(
        wholeNumber(each, 0, Number.MAX_SAFE_INTEGER),
      ),
    )
  for (const [field, schema] of fields)
    command.addOption(fieldOption(field, schema, endpoint.body?.required.includes(field) === true))
  command.option('--slot <number>', 'Slot of the module (default: the only one)', slotNumber)
  if (isRisky) command.option('--yes', 'Do not ask', false)
  return command.action((...given: readonly unknown[]) => {
    const options = given[parameters.length] as Options
    return withDevice(options, context, async (device, signal) => {
      if (isRisky)
        await confirm(
          endpoint.danger ?? `${endpoint.summary}: this can end the work of other programs.`,
          options.yes === true,
          context,
        )
      const input = {
        ...Object.fromEntries(parameters.map((each, index) => [each, given[index]])),
        ...Object.fromEntries(fixed.map(([field, schema]) => [field, (schema as { const: string }).const])),
        ...Object.fromEntries(
          fields.flatMap(([field]) => (options[camel(field)] === undefined ? [] : [[field, options[camel(field)]]])),
        ),
      }
      const module = device.module(service, options.slot)
      const untyped = module as unknown as UntypedModule
      const hasInput = endpoint.body !== undefined || parameters.length > 0
      const reply = await untyped.call(name, ...(hasInput ? [input] : []), { signal })
      const units = new Map<string, string>()
      collectUnits(endpoint.reply, units)
      if (endpoint.effect === 'read' || options.format !== 'table')
        context.print(
          formatRows(
            fieldRows(reply, (field) => units.get(field)),
            options.format,
            reply,
          ),
        )
      else context.hint('Done.\n')
    })
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
function collectUnits(schema: Schema, units: Map<string, string>, name = ''): void {
  if (schema.type === 'object') for (const [field, each] of Object.entries(schema.properties)) collectUnits(each, units, field)
  else if (schema.type === 'array') collectUnits(schema.items, units, name)
  else if ('x-unit' in schema && schema['x-unit'] !== undefined) units.set(name, schema['x-unit'])
}
