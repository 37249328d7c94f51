import { readFileSync } from 'node:fs'
import { benchContract } from '@slotwire/bench-api'
import { type Endpoint, extensionBody, type ObjectSchema } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { catalog } from '@slotwire/device/twin'
import { plainFields, readWords } from '@slotwire/scenario'
import { BENCH_ROOT } from '@slotwire/twin'
import { Argument, Command } from 'commander'
import { type CommandContext, examples } from '../terminal/command-context.ts'
import { shellWord } from '../terminal/text.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { formatReply } from './output.ts'
import { type DeviceCall, deviceCommand, onDevice } from './with-device.ts'

/** An action of the bench, or one of its time: pace, pause, resume, step. Traces and scenarios have commands of their own. */
const ACTION = new RegExp(`^${BENCH_ROOT}/(?:time/)?(\\w+)$`)

/** `slotwire bench short 3/1`: a command for each action of the bench of a virtual device. */
export function benchCommand(context: CommandContext): Command {
  const group = new Command('bench')
    .description('Change what is around a virtual device')
    .addHelpText('after', examples('bench short 3/1', 'bench connect 3/1 source=24V ohms=10k', 'bench fault 3 hang for=10s'))
  for (const endpoint of Object.values<Endpoint>(benchContract(catalog).endpoints)) {
    const [, name] = ACTION.exec(endpoint.path) ?? []
    if (endpoint.method === 'POST' && name !== undefined) group.addCommand(actionCommand(name, endpoint, context))
  }
  return group.addCommand(rigCommand(context))
}

/** `slotwire bench rig > rig.yaml`. */
function rigCommand(context: CommandContext): Command {
  const command = deviceCommand('rig', 'Print what the bench has built, for serve --rig', 'bench rig > rig.yaml')
  return onDevice(command, context, async ({ device, signal }: DeviceCall) => {
    const { path } = benchContract(catalog).endpoints['getRig'] as Endpoint
    context.print(String(((await device.extension(path, { signal, accepts: isRecord })) as { text: unknown }).text))
  })
}

function actionCommand(name: string, endpoint: Endpoint, context: CommandContext): Command {
  const schema = extensionBody(endpoint)
  const plain = plainFields(schema)
  const typed = name.replaceAll('_', '-')
  const others = fieldsOf(schema).filter(([field]) => !plain.includes(field))
  const fields = others.map(([field, about]) => `\n  ${field.padEnd(MAX_FIELD_CHARACTERS)} ${about}`).join('')
  const about = `${endpoint.summary}${fields === '' ? '' : `\n\nFields, as name=value:${fields}`}`
  const command = deviceCommand(typed, about, `bench ${[typed, ...wordsOf(endpoint.example, plain)].join(' ')}`)
  command.summary(brief(endpoint.summary))
  for (const field of plain) {
    const property = schema.properties[field]
    const isNeeded = schema.required.includes(field) && property?.type !== 'array'
    const argument = new Argument(isNeeded ? `<${field}>` : `[${field}]`, brief(property?.description))
    // For help and completion: the schema refuses other words.
    if (property !== undefined && 'enum' in property) argument.choices(property.enum.map(String)).argParser(String)
    command.addArgument(argument)
  }
  const hasMore = others.length > 0 || Object.values(schema.properties).some(({ type }) => type === 'array')
  if (hasMore) command.argument('[fields...]', 'further fields, as name=value')
  return onDevice(command, context, async ({ device, signal, options }: DeviceCall, ...values: readonly unknown[]) => {
    const words = values.flat().filter((word) => typeof word === 'string')
    const call = { method: 'POST', path: endpoint.path, body: bodyOf(typed, words, endpoint), signal, accepts: isRecord }
    const reply = (await device.context.http.request(call)) as Readonly<Record<string, unknown>>
    const { status: _, ...made } = reply
    if (options.format === 'table' && Object.keys(made).length === 0) context.hint('Done.\n')
    else context.print(formatReply(reply, options.format, undefined, made))
  })
}

const MAX_FIELD_CHARACTERS = 18

/** The fields, and the kinds in place of a field that has kinds, each with one line about it. */
function fieldsOf({ properties }: ObjectSchema): readonly (readonly [field: string, about: string])[] {
  return Object.entries(properties).flatMap(([field, schema]) =>
    schema.type === 'object' && schema.oneOf !== undefined && schema.oneOf.length === Object.keys(schema.properties).length
      ? fieldsOf(schema)
      : [[field, brief(schema.description)] as const],
  )
}

/** The first part of a text, for one line of help. */
const brief = (text = ''): string => /^[^,;:(]*/.exec(text)?.[0].trim() ?? ''

/** Throws `UsageError` for a mistake that needs no device. */
function bodyOf(name: string, words: readonly string[], endpoint: Endpoint): object {
  const readFile = (file: string): string => readFileSync(file, 'utf8')
  try {
    const body = readWords(words, { name, schema: extensionBody(endpoint), catalog, readFile })
    const problem = endpoint.check?.(body)
    if (problem !== undefined) throw new RangeError(problem)
    return body
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** An example body as words: `3/1 source volts=24 ohms=10000`. */
function wordsOf(example: object = {}, plain: readonly string[] = []): readonly string[] {
  return Object.entries(example).flatMap(([name, value]): readonly string[] => {
    if (Array.isArray(value)) return value.map(String)
    if (!isRecord(value)) return [plain.includes(name) ? String(value) : `${name}=${shellWord(String(value))}`]
    return name === 'to' ? wordsOf(value) : [name, ...wordsOf(value)]
  })
}
