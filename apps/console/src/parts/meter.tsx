interface Properties {
  readonly label: string
  /** All that there is. */
  readonly total: number
  readonly drawn: number
  /** Promised to modules; undefined: not known. */
  readonly granted: number | undefined
}

const WHOLE = 100

/** A bar of what is drawn and granted of a whole. Show the numbers as text, too. */
export function Meter({ label, total, drawn, granted }: Properties) {
  const part = (value: number): string => `${total > 0 ? Math.min(WHOLE, (value / total) * WHOLE) : 0}%`
  return (
    <svg class="meter" role="img" aria-label={label} preserveAspectRatio="none">
      <rect class="whole" width="100%" height="100%" />
      {granted !== undefined && <rect class="granted" width={part(granted)} height="100%" />}
      <rect class="drawn" width={part(drawn)} height="100%" />
    </svg>
  )
}
