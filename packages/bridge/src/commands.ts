import { ClientError, inWordsOf } from '@slotwire/client'
import { type Clock, isRecord, messageOf, orElse } from '@slotwire/core'
import type { Broker, BrokerMessage } from './broker.ts'
import { remedies } from './remedies.ts'
import type { CommandMode } from './status.ts'
import { deviceTopic, responseTopic } from './topics.ts'
import type { WatchedDevice } from './watched-device.ts'

/** Largest payload of a command, in bytes: no endpoint needs more. */
export const MAX_COMMAND_BYTES = 8192
/** Longest time that a command may wait, in seconds: what is older was meant for another state of the machine. */
const MAX_EXPIRY_S = 60
/** A command without an expiry, where that is allowed, is as old as its arrival, in seconds. */
const EXPIRY_S = 5
/** Commands of one device: so many at once, so many in a second, and so many that wait. */
const BURST = 40
const PER_SECOND = 20
const MAX_WAITING = 40
/** Refusals that are answered, for each device in a second: an attacker must not fill the broker with answers. */
const ANSWERED_PER_SECOND = 10
const MS_PER_SECOND = 1000
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Names of the errors that the bridge itself answers with; docs/guide/mqtt.md. Others are those of the device. */
export type CommandError =
  | 'bad-payload'
  | 'payload-too-large'
  | 'unknown-command'
  | 'no-expiry'
  | 'expiry-too-long'
  | 'expired'
  | 'too-many-commands'
  | 'device-unavailable'
  | 'not-allowed'

class CommandRefusal extends Error {
  constructor(
    readonly code: CommandError,
    message: string,
  ) {
    super(message)
  }
}

/** A command, read from its message. */
interface Command {
  readonly service: string
  readonly slot: number
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** When it is too late, by the clock. */
  readonly until: number
  readonly ifMatch?: string | undefined
  readonly lease?: string | undefined
}

/** What the payload of a command can have. A guard with a wrong name must not be ignored. */
const KEYS = ['value', 'input', 'expires_at', 'if_match', 'lease']
/** No body of an endpoint is nested deeper. */
const MAX_LEVELS = 8
/** With its zone: without one it would be another time on another machine. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** How much the device takes now. */
const newBudget = (at: number) => ({ at, commands: BURST, answers: ANSWERED_PER_SECOND, waiting: 0, last: Promise.resolve() })

export interface CommandsOptions {
  readonly mode: CommandMode
  readonly broker: Broker
  readonly clock: Clock
  /** Milliseconds since 1970. */
  readonly wallTime: () => number
  readonly device: WatchedDevice
}

/** Serves commands that arrive by topics: in order, never late, and answered below the device's response topic only. */
export class Commands {
  readonly #budget: ReturnType<typeof newBudget>

  constructor(private readonly options: CommandsOptions) {
    this.#budget = newBudget(options.clock.now())
    options.broker.onMessage((message) => this.#onMessage(message))
  }

  /** Takes a message. What the broker stored, or is no command, is ignored. */
  #onMessage(message: BrokerMessage): void {
    const { rest = '' } = deviceTopic(message.topic) ?? {}
    if (message.retain || this.options.mode === 'off' || !/(\/set|\/call\/[^/]+)$/.test(rest) || rest.startsWith('response/'))
      return
    const answer = (body: object): void => void this.#answer(rest, message, body)
    const budget = this.#refilled()
    try {
      if (budget.commands < 1 || budget.waiting >= MAX_WAITING)
        throw new CommandRefusal('too-many-commands', `at most ${PER_SECOND} commands in a second, and ${MAX_WAITING} that wait`)
      budget.commands--
      const command = this.#read(rest, message)
      budget.waiting++
      budget.last = budget.last
        .then(() => this.#carryOut(command))
        .then(() => answer({ status: 'success' }))
        .catch((error: unknown) => answer(errorBody(error)))
        .finally(() => {
          budget.waiting--
        })
    } catch (error) {
      if (budget.answers < 1) return
      budget.answers--
      answer(errorBody(error))
    }
  }

  /** A word for a metric, from another protocol. Resolves with the name of the error. */
  async set(path: string, word: string): Promise<string | undefined> {
    const budget = this.#refilled()
    try {
      if (budget.commands < 1) throw new CommandRefusal('too-many-commands', `at most ${PER_SECOND} commands in a second`)
      budget.commands--
      const { clock, device } = this.options
      await this.#carryOut({ ...wordCommand(device, path, word), until: clock.now() + EXPIRY_S * MS_PER_SECOND })
      return undefined
    } catch (error) {
      return errorBody(error).error
    }
  }

  #refilled() {
    const now = this.options.clock.now()
    const budget = this.#budget
    const seconds = (now - budget.at) / MS_PER_SECOND
    budget.at = now
    budget.commands = Math.min(BURST, budget.commands + seconds * PER_SECOND)
    budget.answers = Math.min(ANSWERED_PER_SECOND, budget.answers + seconds * ANSWERED_PER_SECOND)
    return budget
  }

  #read(rest: string, message: BrokerMessage): Command {
    const { device } = this.options
    if (message.payload.byteLength > MAX_COMMAND_BYTES)
      throw new CommandRefusal(
        'payload-too-large',
        `the payload has ${message.payload.byteLength} bytes, at most ${MAX_COMMAND_BYTES}`,
      )
    const text = orElse(undefined, () => UTF8.decode(message.payload))
    if (text === undefined) throw new CommandRefusal('bad-payload', 'the payload is not UTF-8')
    const json: unknown = orElse(undefined, () => JSON.parse(text) as unknown)
    if (isDeep(json)) throw new CommandRefusal('bad-payload', `the payload is nested deeper than ${MAX_LEVELS} levels`)
    if (json === undefined && text.trimStart().startsWith('{')) throw new CommandRefusal('bad-payload', 'the payload is no JSON')
    if (hasRepeatedNames(text, json)) throw new CommandRefusal('bad-payload', 'a name is given twice: leave one out')
    const payload = isRecord(json) ? json : {}
    const unknown = Object.keys(payload).find((key) => !KEYS.includes(key))
    if (unknown !== undefined) throw new CommandRefusal('bad-payload', `${unknown} is not known: write ${KEYS.join(', ')}`)
    const headers = { until: this.#until(message, payload['expires_at']), ...guards(payload, message.properties) }
    const [, service = '', slot = '', endpoint] = /^([a-z]+)\/(\d)\/call\/(\w+)$/.exec(rest) ?? []
    if (endpoint === undefined) {
      const word = isRecord(json) ? json['value'] : text.trim()
      if (typeof word !== 'string') throw new CommandRefusal('bad-payload', 'value must be a word: write it in quotes')
      return { ...wordCommand(device, rest.replace(/\/set$/, ''), word), ...headers }
    }
    if (text.trim() !== '' && !isRecord(json)) throw new CommandRefusal('bad-payload', 'the payload must be a JSON object')
    checkAllowed(device, service, endpoint)
    const { input = {} } = payload
    if (!isRecord(input)) throw new CommandRefusal('bad-payload', 'input must be a JSON object')
    return { service, slot: Number(slot), endpoint, input, ...headers }
  }

  /** By the sender's message expiry, or `expires_at` in the payload: the earlier one. */
  #until({ expirySeconds }: BrokerMessage, expiresAt: unknown): number {
    const { mode, clock, wallTime } = this.options
    const date = typeof expiresAt === 'string' && TIME.test(expiresAt) ? Date.parse(expiresAt) : undefined
    if (expiresAt !== undefined && !Number.isFinite(date))
      throw new CommandRefusal('bad-payload', 'expires_at must be a time with its zone, as 2026-11-26T20:00:00Z')
    const left = date === undefined ? undefined : (date - wallTime()) / MS_PER_SECOND
    const limits = [expirySeconds, left].filter((seconds) => seconds !== undefined)
    if (limits.length === 0 && mode !== 'all')
      throw new CommandRefusal('no-expiry', 'set the message expiry, or expires_at in the payload: no command may run late')
    const seconds = limits.length === 0 ? EXPIRY_S : Math.min(...limits)
    if (seconds > MAX_EXPIRY_S) throw new CommandRefusal('expiry-too-long', `at most ${MAX_EXPIRY_S} s`)
    if (seconds <= 0) throw new CommandRefusal('expired', 'the command arrived too late, nothing was done')
    return clock.now() + seconds * MS_PER_SECOND
  }

  async #carryOut({ service, slot, endpoint, input, until, ifMatch, lease }: Command): Promise<void> {
    const { device } = this.options
    const deadlineMs = until - this.options.clock.now()
    if (deadlineMs <= 0) throw new CommandRefusal('expired', 'the command waited too long, nothing was done')
    const { client } = device
    if (client === undefined) throw new CommandRefusal('device-unavailable', 'the device does not answer now, nothing was done')
    const module = client.module(service, slot)
    const call = module.requestOf(endpoint, input)
    const session = ifMatch ?? (module.session === undefined ? undefined : `"${module.session}"`)
    const headers = {
      ...(session === undefined ? {} : { 'if-match': session }),
      ...(lease === undefined ? {} : { 'slotwire-lease': lease }),
    }
    await client.context.http.request({ ...call, headers, deadlineMs })
    device.lookSoon()
  }

  async #answer(rest: string, { responseTopic: requestedTopic, correlation }: BrokerMessage, body: object): Promise<void> {
    const { broker, device } = this.options
    const root = responseTopic(device.id, '')
    // Anything else would let a sender write to topics that it may not write to.
    const topic = requestedTopic?.startsWith(root) === true && !/[+#\0]/.test(requestedTopic) ? requestedTopic : root + rest
    const message = { topic, payload: JSON.stringify(body), qos: 0, expirySeconds: MAX_EXPIRY_S, correlation } as const
    await broker.publish(message).catch(() => undefined)
  }
}

/** A guard that is given twice is not ignored: one of them may be another client's. */
function guards(payload: Readonly<Record<string, unknown>>, properties: BrokerMessage['properties']) {
  const textOf = (name: string, header: string): string | undefined => {
    const matches = Object.entries(properties).filter(([key]) => key.toLowerCase() === header)
    const [value, another] = [payload[name], ...matches.flatMap(([, text]) => text)].filter((one) => one !== undefined)
    if (value === undefined) return undefined
    if (another !== undefined) throw new CommandRefusal('bad-payload', `${name} is given twice: leave one out`)
    if (typeof value === 'string' && /^[\x20-\x7e]{1,512}$/.test(value)) return value
    throw new CommandRefusal('bad-payload', `${name} must be 1…512 printable characters`)
  }
  const session = textOf('if_match', 'if-match')
  return {
    ifMatch: session === undefined ? undefined : session === '*' || session.startsWith('"') ? session : `"${session}"`,
    lease: textOf('lease', 'slotwire-lease'),
  }
}

/** JavaScript keeps the last of two equal names. In JSON a text before a colon is a name. */
function hasRepeatedNames(text: string, json: unknown): boolean {
  const namesIn = (document: string): number => document.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g)?.length ?? 0
  return isRecord(json) && namesIn(text) > namesIn(JSON.stringify(json))
}

function isDeep(value: unknown, levels = MAX_LEVELS): boolean {
  return (
    typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)))
  )
}

function wordCommand(device: WatchedDevice, path: string, word: string): Omit<Command, 'until'> {
  const metric = device.metrics.get(path)?.metric
  if (metric?.control === undefined)
    throw new CommandRefusal('unknown-command', `${path.slice(0, 100)} is nothing that can be set on this device`)
  const { words, endpoint } = metric.control
  if (!words.includes(word)) throw new CommandRefusal('bad-payload', `the payload must be one of ${words.join(', ')}`)
  return { service: metric.service, slot: metric.slot, endpoint, input: metric.control.input(word) }
}

/** Endpoints that can hurt a running device, or end the work of others, are not for a topic. */
function checkAllowed(device: WatchedDevice, service: string, endpoint: string): void {
  const endpoints = (Object.hasOwn(device.types, service) ? device.types[service]?.contract.endpoints : undefined) ?? {}
  const declared = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined
  if (declared === undefined || !['write', 'action'].includes(declared.effect))
    throw new CommandRefusal(
      'unknown-command',
      `${service.slice(0, 20)} has no endpoint ${endpoint.slice(0, 40)} that sets something`,
    )
  if (declared.danger !== undefined || declared.reach === 'device')
    throw new CommandRefusal('not-allowed', `${endpoint} can stop the device: use its API`)
}

function errorBody(error: unknown): { readonly status: 'error'; readonly error: string; readonly message: string } {
  if (!(error instanceof ClientError))
    return { status: 'error', error: error instanceof CommandRefusal ? error.code : 'failed', message: messageOf(error) }
  const name = error.status === undefined ? error.kind : (error.code ?? error.kind)
  return { status: 'error', error: name, message: inWordsOf(remedies, error) }
}
