/** Longest label of a name; RFC 1035 section 2.3.4. */
export const MAX_LABEL_BYTES = 63

/** For a system whose name has no usable character. */
const FALLBACK = 'slotwire'
/** Largest suffix of a name: so many hosts with one name are an attack. */
const MAX_SUFFIX = 9999

/** First label of a preferred host name, reduced to characters that DNS allows; case is kept. */
export function hostLabel(preferred: string): string {
  const [first = ''] = preferred.split('.')
  return trimmed(first.replace(/[^A-Za-z0-9-]+/g, '-')) || FALLBACK
}

/**
 * The name to try after `taken`, which is `preferred` or a name derived from it: `press-4`, `press-4-2`, `press-4-3` (spec "Discovery"). Starts
 * over after the largest suffix.
 */
export function nextHostLabel(preferred: string, taken: string): string {
  // The preferred name, and a name not derived from it, count as number 1.
  const number = (taken === preferred ? 1 : Number(/-(\d{1,4})$/.exec(taken)?.[1] ?? 1)) + 1
  if (number > MAX_SUFFIX) return preferred
  const suffix = `-${number}`
  return `${trimmed(preferred.slice(0, MAX_LABEL_BYTES - suffix.length))}${suffix}`
}

/** Removes hyphens at both ends. */
function trimmed(label: string): string {
  return label.slice(0, MAX_LABEL_BYTES).replace(/^-+|-+$/g, '')
}
