// The unit and process tiers with one mutation in memory: SLOTWIRE_MUTATION is `{ file, start, end, text }`. No file on disk changes.
import config from '../../vitest.config.ts'
import { inRoot } from '../setup/root.mjs'

/** @typedef {import('./mutations.mjs').Mutation & { readonly file: string }} FileMutation */
const { file, start, end, text } = /** @type {FileMutation} */ (JSON.parse(process.env['SLOTWIRE_MUTATION'] ?? ''))
const mutated = inRoot(file)
/** @type {readonly unknown[]} */
const TIERS = ['unit', 'process']
const tiers = (config.test?.projects ?? []).filter(
  (project) => typeof project === 'object' && 'test' in project && TIERS.includes(project.test?.name),
)

/** @type {import('vite').Plugin} */
const mutate = {
  name: 'mutate',
  enforce: 'pre',
  transform: (code, id) => (id.split('?')[0] === mutated ? code.slice(0, start) + text + code.slice(end) : undefined),
  // The cache of transformed files knows the content of a file, but not its mutation.
  configureVitest: ({ experimental_defineCacheKeyGenerator: define }) => {
    define(({ id }) => (id === mutated ? false : undefined))
  },
}

export default {
  test: { ...config.test, projects: tiers.map((tier) => Object.assign({}, tier, { root: inRoot(), plugins: [mutate] })) },
}
