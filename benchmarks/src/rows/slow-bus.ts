import { timedBus } from '@slotwire/twin'

/** The bus of these rows: frames of 64 bytes at 100 kHz, module latency 0.3 ms. */
export const SLOW_SCLK_KHZ = 100
const FRAME_BYTES = 64

/** Duration of one exchange: two frames and the module's latency, 10.54 ms. */
export const EXCHANGE_MS = 2 * timedBus.transferMs(FRAME_BYTES, SLOW_SCLK_KHZ) + timedBus.latencyMs

/** The io module of the default device without wiring. */
export const IDLE_SLOT = 3
export const IDLE_SLOT_PATH = `/api/io/1.0/${IDLE_SLOT}`
