// Import this first, and alone. Old versions can parse its syntax, so that it can print a clear error.
export const NEEDED_MAJOR = 20
export const NEEDED_MINOR = 19

/**
 * Whether a Node.js version ("20.19.0") is older than the project needs.
 * @param {string} version
 */
export function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < NEEDED_MAJOR || (major === NEEDED_MAJOR && minor < NEEDED_MINOR)
}

if (isTooOld(process.versions.node)) {
  process.stderr.write(`Slotwire needs Node.js ${NEEDED_MAJOR}.${NEEDED_MINOR} or later; this is ${process.versions.node}.\n`)
  process.exit(2)
}
