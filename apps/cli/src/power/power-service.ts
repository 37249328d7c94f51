import { get, type IncomingMessage } from 'node:http'
import { type Clock, messageOf } from '@slotwire/core'
import { powerSupplier } from '@slotwire/device/power-supplier'
import { type PowerSource, withDeadline } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'

/** Longest wait for the power service, in milliseconds. Shorter than a driver's wait for the power manager. */
export const POWER_SERVICE_DEADLINE_MS = 500
/** Longest response of the power service, in bytes. */
const LONGEST_ANSWER = 4096

/**
 * Reads the supply's figures from the power service for each request. Undefined if no slot holds a module that supplies power. Rejects with
 * `powerServiceNotUsable` if a supply module is plugged but the service does not report it.
 */
export function powerServiceSource(url: string, clock: Clock): PowerSource {
  const source = powerSupplier?.budgetOverHttp(async (path) => parsed(await textInTime(url + path, clock)))
  return {
    read: async (modules) => {
      try {
        return await source?.read(modules)
      } catch (error) {
        const reason = messageOf(error)
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
    if (size > LONGEST_ANSWER) throw new Error(`its response is longer than ${LONGEST_ANSWER} bytes`)
    chunks.push(chunk)
  }
  const { statusCode } = response
  if (statusCode !== 200) throw new Error(`it responds with status ${statusCode}`)
  return Buffer.concat(chunks).toString()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its response is not JSON', { cause: error })
  }
}
