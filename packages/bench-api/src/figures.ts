/** Digits after the decimal point in replies: of volts, milliampere and milliseconds. */
const DIGITS = 6

/** Rounds away the noise of binary fractions. */
export function rounded(value: number): number {
  return Number(value.toFixed(DIGITS))
}
