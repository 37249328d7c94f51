// Import this first, and alone. Old versions can parse its syntax, so that it can print a clear error.
/** Oldest version of Node.js: its parser refuses requests that earlier ones accept. */
export const NEEDED = [20, 19, 2]

/**
 * Whether a Node.js version ("20.19.1") is older than the project needs.
 * @param {string} version
 */
export function isTooOld(version) {
  const numbers = version.split('.').map(Number)
  const differs = NEEDED.findIndex((part, index) => part !== numbers[index])
  return differs >= 0 && (numbers[differs] ?? 0) < (NEEDED[differs] ?? 0)
}

if (isTooOld(process.versions.node)) {
  process.stderr.write(`Slotwire needs Node.js ${NEEDED.join('.')} or later; this is ${process.versions.node}.\n`)
  process.exit(2)
}
