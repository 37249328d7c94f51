import { type Clock, messageOf } from '@slotwire/core'
import { powerSupplier } from '@slotwire/device/power-supplier'
import type { ReadSupply } from '@slotwire/driver'
import { powerManagerErrors } from '@slotwire/driver/power-manager'
import { getText } from '../client/get-text.ts'

/** Longest wait for the power service, in milliseconds. Shorter than a driver's wait for the power manager. */
export const POWER_SERVICE_DEADLINE_MS = 500
/** Of a response of the power service. */
const MAX_BYTES = 4096

/**
 * Reads the supply's figures from the power service for each request. Undefined if no slot holds a module that supplies power. Rejects with
 * `powerServiceNotUsable` if a supply module is plugged but the service does not report it.
 */
export function powerServiceSource(url: string, clock: Clock): ReadSupply {
  const ofService = powerSupplier?.budgetOverHttp(async (path) => bodyOf(url + path, clock))
  return async (modules) => {
    try {
      return await ofService?.(modules)
    } catch (error) {
      const reason = messageOf(error)
      throw powerManagerErrors.powerServiceNotUsable({ url, reason }, { cause: error })
    }
  }
}

async function bodyOf(url: string, clock: Clock): Promise<unknown> {
  const { status, text } = await getText(url, { clock, deadlineMs: POWER_SERVICE_DEADLINE_MS, maxBytes: MAX_BYTES })
  if (status !== 200) throw new Error(`it responds with status ${status}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('its response is not JSON', { cause: error })
  }
}
