/** The date, in milliseconds since 1970 (UTC), for people and certificates. For timing use `Clock`: the date may jump. */
export type WallTime = () => number

/** The date of the system. */
export const systemWallTime: WallTime = () => Date.now()

/** A date in ISO 8601, in UTC, with milliseconds: `2026-11-21T14:26:56.000Z`. */
export function isoTime(wallTimeMs: number): string {
  return new Date(wallTimeMs).toISOString()
}

/** Milliseconds since 1970 of an ISO 8601 date; NaN for an invalid one. */
export function fromIsoTime(text: string): number {
  return Date.parse(text)
}
