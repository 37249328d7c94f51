// The tiers of the tests. A file's name says what its tests cost: `x.test.ts`, `x.process.test.ts`, `x.system.test.ts`, `x.long.test.ts`.

/** Folders that hold tests. */
const FOLDERS = ['packages', 'modules', 'apps', 'benchmarks', 'tests', 'tools']
const NEVER = ['**/node_modules/**', '**/dist/**']

/** The end of a file's name in each tier. */
export const suffixes = {
  /** One process, from the sources, no socket but loopback. */
  unit: '.test.ts',
  /** A few smokes of the built program as a process, and the examples of the guides; needs Node.js alone, and curl for the examples. */
  process: '.process.test.ts',
  /** More processes, real time, and system programs: socat, nginx, avahi, systemd, a browser, openssl. */
  system: '.system.test.ts',
  /** Minutes to hours: by hand, and before a release. */
  long: '.long.test.ts',
}

/** @typedef {keyof typeof suffixes} Tier */

export const tiers = /** @type {readonly Tier[]} */ (Object.keys(suffixes))

/** What else a name may say: `http` is the whole device, which runs once more over the kernel driver's files; `properties` are generated cases. */
const KINDS = ['http', 'properties']

/**
 * The tiers that a test file's name puts it in. None for a name that is wrong, as in `x.sytem.test.ts`; two for `x.process.system.test.ts`.
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
 * The files of a tier, as vitest wants them.
 * @param {Tier} tier
 */
export function filesOf(tier) {
  const others = tier === 'unit' ? tiers.filter((other) => other !== 'unit') : []
  return { include: inFolders(suffixes[tier]), exclude: [...NEVER, ...others.map((other) => `**/*${suffixes[other]}`)] }
}

/** Test files of the whole device, whatever their tier. */
export const wholeDeviceFiles = { include: inFolders('.http*.test.ts'), exclude: NEVER }
