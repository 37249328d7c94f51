/** A source of uniform numbers in [0, 1). */
export type Random = () => number

/** How many numbers are fetched from the system at once: a call costs far more than a number. */
const BATCH_SIZE = 256

/** Unpredictable numbers, for session identifiers. */
export const systemRandom: Random = batched()

function batched(): Random {
  const batch = new Uint32Array(BATCH_SIZE)
  let next = BATCH_SIZE
  return () => {
    if (next === BATCH_SIZE) {
      crypto.getRandomValues(batch)
      next = 0
    }
    return (batch[next++] as number) / 2 ** 32
  }
}

/** Seeds are whole numbers from 0 to this. */
export const MAX_SEED = 2 ** 32 - 1

/** Repeatable numbers: the same seed gives the same sequence (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const SESSION_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** Length of `driver_session` and `device_session` in characters. */
export const SESSION_LENGTH = 64

/** A new session identifier: 64 random upper-case letters and digits. */
export function sessionIdentifier(random: Random): string {
  const letters = Array.from({ length: SESSION_LENGTH }, () =>
    SESSION_ALPHABET.charAt(Math.floor(random() * SESSION_ALPHABET.length)),
  )
  return letters.join('')
}
