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
  const source = powerSupplier?.budgetOverHttp(async (path) => bodyOf(url + path, clock))
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

/** The response to a GET. Rejects if it is late, or has more bytes. */
export async function answerInTime(url: string, clock: Clock, deadlineMs: number, longest: number) {
  const abort = new AbortController()
  try {
    const late = (): Error => new Error(`no answer within ${deadlineMs} ms`)
    return await withDeadline(clock, deadlineMs, answerOf(url, longest, abort.signal), late)
  } finally {
    abort.abort()
  }
}

async function answerOf(url: string, longest: number, signal: AbortSignal) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, signal, headers: { 'cache-control': 'no-cache' } }, resolve).once('error', reject)
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longest) throw new Error(`its response is longer than ${longest} bytes`)
    chunks.push(chunk)
  }
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
}

async function bodyOf(url: string, clock: Clock): Promise<unknown> {
  const { status, text } = await answerInTime(url, clock, POWER_SERVICE_DEADLINE_MS, LONGEST_ANSWER)
  if (status !== 200) throw new Error(`it responds with status ${status}`)
  return parsed(text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its response is not JSON', { cause: error })
  }
}
