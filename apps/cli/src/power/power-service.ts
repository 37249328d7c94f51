import { get, type IncomingMessage } from 'node:http'
import { compile, type ValueOf } from '@slotwire/contract'
import type { Clock } from '@slotwire/core'
import { type PowerSource, type PowerSupply, withDeadline } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'
import { power } from '@slotwire/modules/contracts'
import { slotOfPowerModule } from '@slotwire/modules/power/budget'

/** Longest wait for the power service, in milliseconds: below what a driver waits for the power manager. */
export const POWER_SERVICE_DEADLINE_MS = 500
/** Longest answer of it, in bytes. */
const LONGEST_ANSWER = 4096

export interface PowerServiceOptions {
  /** Where the power service is, without a path. */
  readonly url: string
  readonly clock: Clock
}

/**
 * The supply's figures as the power service has them, read from the module for each request. Undefined where no slot holds a power module;
 * rejects with `powerServiceNotUsable` while one does that the service does not tell of.
 */
export function powerServiceSource(options: PowerServiceOptions): PowerSource {
  return {
    read: async (modules) => {
      const slot = slotOfPowerModule(modules)
      return slot === undefined ? undefined : supplyOf(slot, options)
    },
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
