import { type Clock, isRecord, orElse } from '@slotwire/core'
import type { Broker, BrokerMessage } from './broker.ts'
import { aboutTopic, availabilityTopic, bridgeIn, deviceTopic, presenceTopic, responseTopic, setTopic } from './topics.ts'

/** A device of a fleet, as the broker retains it. */
export interface FleetDevice {
  readonly id: string
  readonly url: string
  readonly bridge: string
  /** Whether its bridge is there, and reaches it. */
  readonly isAvailable: boolean
}

/** What a device said to a command. */
export interface CommandOutcome {
  readonly id: string
  /** `success`, the name of the error, or `no-answer`. */
  readonly result: string
  readonly message: string
}

/** The broker has sent what it retains when nothing came for so long, in milliseconds. */
const QUIET_MS = 300
/** Answers may come so long after the command is too late, in milliseconds. */
const ANSWER_MARGIN_MS = 1000
const MS_PER_SECOND = 1000
const TEXT = new TextDecoder()

/** Reads the bridges and devices of a fleet from a broker that is connected. */
export async function readFleet(broker: Broker, fleet: string, clock: Clock) {
  const bridges = new Map<string, boolean>()
  const abouts = new Map<string, { url: string; bridge: string }>()
  const online = new Set<string>()
  let lastAt = clock.now()
  const remove = broker.onMessage(({ topic, payload }) => {
    lastAt = clock.now()
    const text = TEXT.decode(payload)
    const bridge = bridgeIn(topic, fleet)
    const { id, rest } = deviceTopic(topic) ?? {}
    if (bridge !== undefined) bridges.set(bridge, text === 'online')
    else if (id !== undefined && rest === 'about') {
      const about: unknown = orElse(undefined, () => JSON.parse(text) as unknown)
      if (isRecord(about)) abouts.set(id, { url: String(about['url']), bridge: String(about['bridge']) })
    } else if (id !== undefined && text === 'online') online.add(id)
  })
  await broker.subscribe([presenceTopic(fleet, '+'), aboutTopic('+'), availabilityTopic('+')])
  while (clock.now() - lastAt < QUIET_MS) await clock.sleep(QUIET_MS)
  remove()
  // Another fleet at the same broker has other bridges.
  const devices = [...abouts].filter(([, { bridge }]) => bridges.has(bridge))
  return {
    bridges: [...bridges].map(([name, isThere]) => ({ name, isThere })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    devices: devices
      .map(([id, about]): FleetDevice => ({ id, ...about, isAvailable: online.has(id) && bridges.get(about.bridge) === true }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/**
 * The devices that a selector names: `all`, `bridge=<name>`, or the first digits of a machine id; several with commas. Undefined if one of them
 * names no device.
 */
export function selected(devices: readonly FleetDevice[], selector: string): readonly FleetDevice[] | undefined {
  const parts = selector.split(',').map((part) => {
    const bridge = part.startsWith('bridge=') ? part.slice('bridge='.length) : undefined
    return devices.filter(
      (device) => part === 'all' || (bridge === undefined ? part !== '' && device.id.startsWith(part) : device.bridge === bridge),
    )
  })
  return parts.some((part) => part.length === 0) ? undefined : [...new Set(parts.flat())]
}

/** Sends a word for a metric to devices, and waits for their answers. Each device has an outcome. `nonce` is of this call only. */
export async function commandAll(
  broker: Broker,
  devices: readonly FleetDevice[],
  { path, word, expirySeconds, nonce, clock }: { path: string; word: string; expirySeconds: number; nonce: string; clock: Clock },
): Promise<readonly CommandOutcome[]> {
  const outcomes = new Map<string, CommandOutcome>()
  const done = new AbortController()
  const remove = broker.onMessage((message) => {
    const outcome = outcomeOf(message, nonce)
    if (outcome === undefined || outcomes.has(outcome.id)) return
    outcomes.set(outcome.id, outcome)
    if (devices.every(({ id }) => outcomes.has(id))) done.abort()
  })
  await broker.subscribe([responseTopic('+', nonce)])
  for (const { id } of devices)
    await broker.publish({
      topic: setTopic(id, path),
      payload: word,
      qos: 1,
      expirySeconds,
      responseTopic: responseTopic(id, nonce),
    })
  await clock.sleep(expirySeconds * MS_PER_SECOND + ANSWER_MARGIN_MS, done.signal).catch(() => undefined)
  remove()
  return devices.map(({ id }) => outcomes.get(id) ?? { id, result: 'no-answer', message: 'no bridge answered in time' })
}

function outcomeOf({ topic, payload }: BrokerMessage, nonce: string): CommandOutcome | undefined {
  const { id, rest } = deviceTopic(topic) ?? {}
  if (id === undefined || rest !== `response/${nonce}`) return undefined
  const body: unknown = orElse(undefined, () => JSON.parse(TEXT.decode(payload)) as unknown)
  if (!isRecord(body)) return undefined
  const isDone = body['status'] === 'success'
  return { id, result: isDone ? 'success' : String(body['error']), message: isDone ? '' : String(body['message']) }
}
