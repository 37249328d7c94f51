/** Longest label of a name; RFC 1035 section 2.3.4. */
export const MAX_LABEL_BYTES = 63

/** For a system whose name has no usable character. */
const FALLBACK = 'slotwire'
/** Of names with a suffix; whoever meets that many namesakes is under attack. */
const MAX_SUFFIX = 9999

/** The first label of a wished host name, with what DNS takes; case stays. */
export function hostLabel(wish: string): string {
  const [first = ''] = wish.split('.')
  return trimmed(first.replace(/[^A-Za-z0-9-]+/g, '-')) || FALLBACK
}

/**
 * The name to try after `taken`, which is the wish or came from it: `press-4`, `press-4-2`, `press-4-3` (spec "Discovery"). After the last
 * one the wish again.
 */
export function nextHostLabel(wish: string, taken: string): string {
  // The wish itself, and what did not come from it, counts as the first.
  const number = (taken === wish ? 1 : Number(/-(\d{1,4})$/.exec(taken)?.[1] ?? 1)) + 1
  if (number > MAX_SUFFIX) return wish
  const suffix = `-${number}`
  return `${trimmed(wish.slice(0, MAX_LABEL_BYTES - suffix.length))}${suffix}`
}

/** Neither begins nor ends with a hyphen. */
function trimmed(label: string): string {
  return label.slice(0, MAX_LABEL_BYTES).replace(/^-+|-+$/g, '')
}
