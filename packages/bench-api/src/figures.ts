/** Digits after the decimal point that are told: of volts, milliampere and milliseconds. */
const DIGITS = 6

/** Without the digits that only binary fractions have. */
export function rounded(value: number): number {
  return Number(value.toFixed(DIGITS))
}
