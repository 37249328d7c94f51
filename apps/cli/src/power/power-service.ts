import { get, type IncomingMessage } from 'node:http'
import type { Clock } from '@slotwire/core'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { type PowerSource, withDeadline } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'

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
 * The supply's figures as the power service has them, read from the module for each request. Undefined where no slot holds a module that
 * supplies; rejects with `powerServiceNotUsable` while one does that the service does not tell of.
 */
export function powerServiceSource({ url, clock }: PowerServiceOptions): PowerSource {
  const source = powerSupplier?.budgetOverHttp(async (path) => parsed(await textInTime(url + path, clock)))
  return {
    read: async (modules) => {
      try {
        return await source?.read(modules)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw powerManagerErrors.powerServiceNotUsable({ url, reason }, { cause: error })
      }
    },
  }
}

async function textInTime(url: string, clock: Clock): Promise<string> {
  const abort = new AbortController()
  try {
    const late = (): Error => new Error(`no answer within ${POWER_SERVICE_DEADLINE_MS} ms`)
    return await withDeadline(clock, POWER_SERVICE_DEADLINE_MS, textAt(url, abort.signal), late)
  } catch (error) {
    abort.abort()
    throw error
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its answer is no JSON', { cause: error })
  }
}
