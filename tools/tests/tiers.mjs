// The tiers of the tests. The suffix of a file's name is its tier: what a test costs is in its name.

/** Folders that hold tests. */
export const testFolders = ['packages', 'modules', 'apps', 'benchmarks', 'tests', 'tools']

/**
 * A tier: the suffix of its files, and in one line what may be in them.
 * @typedef {{ readonly suffix: string, readonly holds: string }} Tier
 */

/** @satisfies {Record<string, Tier>} */
export const tiers = {
  unit: { suffix: '.test.ts', holds: 'one process, from the sources, loopback sockets only' },
  process: { suffix: '.process.test.ts', holds: 'the built program as a process, or real time; needs Node.js alone' },
  system: { suffix: '.system.test.ts', holds: 'system programs: socat, nginx, avahi, systemd, a browser, openssl' },
  long: { suffix: '.long.test.ts', holds: 'minutes to hours: by hand, and before a release' },
}

/** @typedef {keyof typeof tiers} TierName */

export const tierNames = /** @type {TierName[]} */ (Object.keys(tiers))

/** What a unit test may have in front of its suffix: the whole device over HTTP, generated cases. */
const KINDS = ['http', 'properties']

/**
 * Tiers that a file's name puts it in: one for a name that is right, none for `x.sytem.test.ts`.
 * @param {string} file
 * @returns {readonly TierName[]}
 */
export function tiersOf(file) {
  const dots = (file.split('/').at(-1) ?? '').split('.').slice(1, -2)
  const named = tierNames.filter((name) => name !== 'unit' && dots.includes(name))
  if (dots.some((dot) => !KINDS.includes(dot) && !named.some((name) => name === dot))) return []
  return named.length > 0 ? named : ['unit']
}

/**
 * Patterns for the files of a tier.
 * @param {TierName} name
 */
export function filesOf(name) {
  const others = tierNames.filter((other) => other !== name && other !== 'unit')
  const inFolders = (/** @type {string} */ suffix) => testFolders.map((folder) => `${folder}/**/*${suffix}`)
  return {
    include: inFolders(tiers[name].suffix),
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      ...(name === 'unit' ? others.map((other) => `**/*${tiers[other].suffix}`) : []),
    ],
  }
}
