import { type Clock, isRecord } from '@slotwire/core'
import type { Broker, BrokerMessage } from './broker.ts'
import { type DeviceStatus, jsonOf, readStatus } from './status.ts'
import { deviceTopic, everythingOf, responseTopic, setTopic, statusTopic } from './topics.ts'

/** What a device said to a command. */
export interface CommandOutcome {
  readonly id: string
  /** `success`, the name of the error, or why nothing was sent: `offline`, `commands-off`; or `no-answer`. */
  readonly result: string
  readonly message: string
}

/** The broker has sent what it retains when nothing came for so long, in milliseconds. */
const QUIET_MS = 300
/** Answers may come so long after the command is too late, in milliseconds. */
const ANSWER_MARGIN_MS = 1000
const MS_PER_SECOND = 1000

/** Reads the devices that a broker knows, online or not. */
export async function readFleet(broker: Broker, clock: Clock): Promise<readonly DeviceStatus[]> {
  const devices = new Map<string, DeviceStatus>()
  await whatIsRetained(broker, clock, [statusTopic('+')], ({ topic, payload }) => {
    const { id, rest } = deviceTopic(topic) ?? {}
    const status = id !== undefined && rest === 'status' ? readStatus(id, payload) : undefined
    if (status !== undefined) devices.set(status.id, status)
  })
  return [...devices.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The devices that a selector names: `all`, or the first digits of a machine id; several with commas. Undefined if one of them names no device. */
export function selected(devices: readonly DeviceStatus[], selector: string): readonly DeviceStatus[] | undefined {
  const parts = selector
    .split(',')
    .map((part) => devices.filter(({ id }) => part === 'all' || (part !== '' && id.startsWith(part))))
  return parts.some((part) => part.length === 0) ? undefined : [...new Set(parts.flat())]
}

/** Sends a word for a metric to devices, and waits for their answers. Each device has an outcome. `nonce` is of this call only. */
export async function commandAll(
  broker: Broker,
  devices: readonly DeviceStatus[],
  { path, word, expirySeconds, nonce, clock }: { path: string; word: string; expirySeconds: number; nonce: string; clock: Clock },
): Promise<readonly CommandOutcome[]> {
  const outcomes = new Map<string, CommandOutcome>()
  for (const { id, state, commands } of devices) {
    if (state === 'offline') outcomes.set(id, { id, result: 'offline', message: 'nothing was sent' })
    else if (commands === 'off') outcomes.set(id, { id, result: 'commands-off', message: 'allow commands where it is published' })
  }
  const done = new AbortController()
  const isDone = (): boolean => devices.every(({ id }) => outcomes.has(id))
  const remove = broker.onMessage((message) => {
    const outcome = outcomeOf(message, nonce)
    if (outcome === undefined || outcomes.has(outcome.id)) return
    outcomes.set(outcome.id, outcome)
    if (isDone()) done.abort()
  })
  await broker.subscribe([responseTopic('+', nonce)])
  for (const { id } of devices.filter((device) => !outcomes.has(device.id)))
    await broker.publish({
      topic: setTopic(id, path),
      payload: word,
      qos: 1,
      expirySeconds,
      responseTopic: responseTopic(id, nonce),
    })
  if (!isDone()) await clock.sleep(expirySeconds * MS_PER_SECOND + ANSWER_MARGIN_MS, done.signal).catch(() => undefined)
  remove()
  return devices.map(({ id }) => outcomes.get(id) ?? { id, result: 'no-answer', message: 'no answer came in time' })
}

/** Removes what the broker retains of devices: values, positions, and messages for Home Assistant (`discovery`: their prefix). */
export async function forget(broker: Broker, devices: readonly DeviceStatus[], discovery: string, clock: Clock): Promise<void> {
  const topics = new Set<string>()
  const filters = devices.flatMap(({ id }) => [
    everythingOf(id),
    `${discovery}/+/slotwire_${id}/config`,
    `${discovery}/+/slotwire_${id}/+/config`,
  ])
  await whatIsRetained(broker, clock, filters, ({ topic, payload }) => {
    if (payload.length > 0) topics.add(topic)
  })
  for (const topic of topics) await broker.publish({ topic, payload: '', qos: 1, retain: true })
}

async function whatIsRetained(
  broker: Broker,
  clock: Clock,
  filters: readonly string[],
  onMessage: (message: BrokerMessage) => void,
): Promise<void> {
  let lastAt = clock.now()
  const remove = broker.onMessage((message) => {
    lastAt = clock.now()
    onMessage(message)
  })
  await broker.subscribe(filters)
  while (clock.now() - lastAt < QUIET_MS) await clock.sleep(QUIET_MS)
  remove()
}

function outcomeOf({ topic, payload }: BrokerMessage, nonce: string): CommandOutcome | undefined {
  const { id, rest } = deviceTopic(topic) ?? {}
  const body = id === undefined || rest !== `response/${nonce}` ? undefined : jsonOf(payload)
  if (id === undefined || !isRecord(body)) return undefined
  const isDone = body['status'] === 'success'
  return { id, result: isDone ? 'success' : String(body['error']), message: isDone ? '' : String(body['message']) }
}
