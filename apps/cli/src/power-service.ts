import { get, type IncomingMessage } from 'node:http'
import { compile, type ValueOf } from '@slotwire/contract'
import { type Backplane, type Clock, LinkError } from '@slotwire/core'
import { type PowerSource, type PowerSupply, withDeadline } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'
import { power } from '@slotwire/modules/contracts'
import { POWER_VENDOR_PRODUCT_ID } from '@slotwire/modules/power/wire'

/** Longest wait for the power service, in milliseconds: below what a driver waits for the power manager. */
export const POWER_SERVICE_DEADLINE_MS = 500
/** Longest answer of it, in bytes. */
const LONGEST_ANSWER = 4096

export interface PowerServiceOptions {
  /** Where the power service is, without a path. */
  readonly url: string
  readonly backplane: Pick<Backplane, 'present' | 'descriptor'>
  readonly clock: Clock
}

/**
 * The supply's figures as the power service has them, read from the module for each request. Undefined where no slot holds a power module;
 * rejects with `powerServiceNotUsable` while one does that the service does not tell of.
 */
export function powerServiceSource(options: PowerServiceOptions): PowerSource {
  return {
    read: async () => {
      const slot = await slotOfPowerModule(options.backplane)
      return slot === undefined ? undefined : supplyOf(slot, options)
    },
  }
}

async function slotOfPowerModule(backplane: PowerServiceOptions['backplane']): Promise<number | undefined> {
  const slots = backplane.present()
  const holds = await Promise.all(slots.map((slot) => holdsPowerModule(slot, backplane)))
  return slots.find((_slot, index) => holds[index])
}

async function holdsPowerModule(slot: number, backplane: PowerServiceOptions['backplane']): Promise<boolean> {
  try {
    return (await backplane.descriptor(slot)).vendorProductId === POWER_VENDOR_PRODUCT_ID
  } catch (error) {
    // Who has left is none. Any other failure must not pass for power without a limit.
    if (error instanceof LinkError && error.failure === 'gone') return false
    throw error
  }
}

async function supplyOf(slot: number, { url, clock }: PowerServiceOptions): Promise<PowerSupply> {
  const abort = new AbortController()
  try {
    const late = (): Error => new Error(`no answer within ${POWER_SERVICE_DEADLINE_MS} ms`)
    const path = `/api/power/1.0/${slot}${power.endpoints.getSource.path}`
    return supplyIn(await withDeadline(clock, POWER_SERVICE_DEADLINE_MS, textAt(url + path, abort.signal), late))
  } catch (error) {
    abort.abort()
    const reason = error instanceof Error ? error.message : String(error)
    throw powerManagerErrors.powerServiceNotUsable({ url, reason }, { cause: error })
  }
}

async function textAt(url: string, signal: AbortSignal): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, signal, headers: { 'cache-control': 'no-cache' } }, resolve).once('error', reject)
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LONGEST_ANSWER) throw new Error(`it answers with more than ${LONGEST_ANSWER} bytes`)
    chunks.push(chunk)
  }
  const { statusCode } = response
  if (statusCode !== 200) throw new Error(`it answers with status ${statusCode}`)
  return Buffer.concat(chunks).toString()
}

const reply = power.endpoints.getSource.reply
const problemOf = compile(reply, 'its answer')

function supplyIn(text: string): PowerSupply {
  const found = parsed(text)
  assertReply(found)
  return {
    source3v3: found.source_3v3,
    source5v0: found.source_5v0,
    source12v: found.source_12v,
    sourceTotal: found.source_total,
    efficiency3v3: found.efficiency_factor_3v3,
    efficiency5v0: found.efficiency_factor_5v0,
    efficiency12v: found.efficiency_factor_12v,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its answer is no JSON', { cause: error })
  }
}

function assertReply(value: unknown): asserts value is ValueOf<typeof reply> {
  const problem = problemOf(value)
  if (problem !== undefined) throw new Error(problem)
}
