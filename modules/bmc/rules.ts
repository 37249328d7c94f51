import { outOfRange, rangeText } from '@slotwire/contract'
import { bmcLimits } from './limits.ts'

/** The range of a watchdog's timeout, in words. */
export const WATCHDOG_TIMEOUT_RANGE = `0, or ${rangeText(bmcLimits.watchdogTimeoutMs)}`

/** 0 switches the watchdog off; spec BMC rule 3. */
export function checkWatchdogTimeout({ timeout }: { readonly timeout: number }): string | undefined {
  const bounds = bmcLimits.watchdogTimeoutMs
  if (timeout === 0 || timeout >= bounds.min) return undefined
  return outOfRange('timeout', { ...bounds, range: WATCHDOG_TIMEOUT_RANGE })
}

/** The timeout matters only when the mode is armed; spec BMC rule 5, behaviour.md "bmc". */
export function checkUsbBootloader(body: { readonly enabled: boolean; readonly timeout?: number }): string | undefined {
  const { enabled, timeout } = body
  const bounds = bmcLimits.usbBootloaderTimeoutMs
  if (!enabled) return undefined
  if (timeout === undefined) {
    return `timeout is missing: an integer from ${bounds.min} to ${bounds.max} ${bounds.unit}, needed when enabled is true`
  }
  return timeout < bounds.min || timeout > bounds.max ? outOfRange('timeout', bounds) : undefined
}
