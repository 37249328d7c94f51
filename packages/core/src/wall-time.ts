/**
 * The date, in milliseconds since 1970 (UTC). For what people and certificates want to know; whatever is timed goes by `Clock`: the date
 * may jump.
 */
export type WallTime = () => number

/** The date that the system has. */
export const systemWallTime: WallTime = () => Date.now()

/** A date as ISO 8601 has it, in UTC, with milliseconds: `2026-11-21T14:26:56.000Z`. */
export function isoTime(wallTimeMs: number): string {
  return new Date(wallTimeMs).toISOString()
}

/** Milliseconds since 1970 of an ISO 8601 date; NaN for what is none. */
export function fromIsoTime(text: string): number {
  return Date.parse(text)
}
