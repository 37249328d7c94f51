/** Bounds that wire and contract share, all inclusive; spec "BMC service" rules and "Limits". */
export const bmcLimits = {
  buzzerMode: { min: 0, max: 5 },
  buzzerDurationMs: { min: 1, max: 1000, unit: 'ms' },
  /** Or 0: disabled. */
  watchdogTimeoutMs: { min: 1000, max: 600_000, unit: 'ms' },
  shutdownTimeoutMs: { min: 10_000, max: 600_000, unit: 'ms' },
  usbBootloaderTimeoutMs: { min: 0, max: 3_600_000, unit: 'ms' },
  usbSlot: { min: 2, max: 7 },
} as const

/** Default `shutdown_timeout`; behaviour.md "Initial state". */
export const DEFAULT_SHUTDOWN_TIMEOUT_MS = 60_000
/** How long an armed bootloader waits for a host; spec "USB bootloader". */
export const BOOTLOADER_WINDOW_MS = 90_000
