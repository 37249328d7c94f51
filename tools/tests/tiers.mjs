// Test tiers. The suffix of a file is its tier: `x.test.ts`, `x.process.test.ts`, `x.system.test.ts`, `x.long.test.ts`.

/** Folders that hold tests. */
const FOLDERS = ['packages', 'modules', 'apps', 'benchmarks', 'tests', 'tools']
const NEVER = ['**/node_modules/**', '**/dist/**']

/** File suffix of each tier. */
export const suffixes = {
  /** One process, from the sources, no socket but loopback. */
  unit: '.test.ts',
  /** Smoke tests of the built program, and examples of the guides. Needs Node.js, and curl for the examples. */
  process: '.process.test.ts',
  /** More processes, real time, and system programs: socat, nginx, avahi, systemd, a browser, openssl. */
  system: '.system.test.ts',
  /** Minutes to hours: by hand, and before a release. */
  long: '.long.test.ts',
}

/** @typedef {keyof typeof suffixes} Tier */

export const tiers = /** @type {readonly Tier[]} */ (Object.keys(suffixes))

/** Other words in a name: `http` tests a whole device, also over the kernel driver's files; `properties` has generated cases. */
const KINDS = ['http', 'properties']

/**
 * Tiers of a test file: none for a wrong suffix such as `x.sytem.test.ts`, two for `x.process.system.test.ts`.
 * @param {string} file
 * @returns {readonly Tier[]}
 */
export function tiersOf(file) {
  if (!FOLDERS.includes(file.split('/')[0] ?? '') || !file.endsWith(suffixes.unit)) return []
  const words = (file.split('/').at(-1) ?? '')
    .split('.')
    .slice(1, -2)
    .filter((word) => !KINDS.includes(word))
  const named = tiers.filter((tier) => tier !== 'unit' && words.includes(tier))
  if (words.length > named.length) return []
  return named.length === 0 ? ['unit'] : named
}

/** @param {string} suffix */
const inFolders = (suffix) => FOLDERS.map((folder) => `${folder}/**/*${suffix}`)

/**
 * Include and exclude patterns of a tier, for vitest.
 * @param {Tier} tier
 */
export function filesOf(tier) {
  const others = tier === 'unit' ? tiers.filter((other) => other !== 'unit') : []
  return { include: inFolders(suffixes[tier]), exclude: [...NEVER, ...others.map((other) => `**/*${suffixes[other]}`)] }
}

/** Test files of a whole device, in all tiers. */
export const wholeDeviceFiles = { include: inFolders('.http*.test.ts'), exclude: NEVER }
