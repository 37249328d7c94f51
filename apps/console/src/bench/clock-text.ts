const MS_PER_SECOND = 1000
const SECONDS = 60
const DIGITS = 2

/** A time since the start as `1:02:03.4`. */
export function clockText(ms: number): string {
  const seconds = ms / MS_PER_SECOND
  const two = (value: number): string => String(Math.floor(value)).padStart(DIGITS, '0')
  const tenth = Math.floor((seconds % 1) * 10)
  return `${Math.floor(seconds / SECONDS / SECONDS)}:${two((seconds / SECONDS) % SECONDS)}:${two(seconds % SECONDS)}.${tenth}`
}
