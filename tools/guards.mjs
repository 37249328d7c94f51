// `npm run guards [-- <name> …]`: installs, runs the guards and prints which failed.
import './setup/require-node.mjs'

const { install } = await import('./setup/install.mjs')
const { run } = await import('./setup/run.mjs')
const { inRoot } = await import('./setup/root.mjs')

/** @param {string[]} path of a program, in the guards' own node_modules */
const program = (...path) => inRoot('tools', 'guards', 'node_modules', ...path)
/** @param {string} name of a configuration file */
const config = (name) => inRoot('tools', 'guards', name)
const { apiDocuments } = await import('./setup/api-documents.mjs')

const TYPESCRIPT = inRoot('node_modules', 'typescript', 'bin', 'tsc')
const FOLDERS = ['packages', 'modules', 'apps', 'benchmarks', 'tests']

/** @type {Readonly<Record<string, readonly string[]>>} */
const guards = {
  files: [inRoot('tools', 'check-files.mjs')],
  format: [program('@biomejs', 'biome', 'bin', 'biome'), 'ci', '.'],
  arrows: [
    program('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config',
    config('dependency-cruiser.cjs'),
    ...FOLDERS,
  ],
  'dead-code': [program('knip', 'bin', 'knip.js'), '--config', config('knip.json'), '--no-config-hints'],
  api: [
    program('@redocly', 'cli', 'bin', 'cli.js'),
    'lint',
    '--config',
    config('redocly.yaml'),
    ...apiDocuments().map((file) => inRoot(file)),
  ],
  types: [TYPESCRIPT, '-p', '.'],
  'console-types': [TYPESCRIPT, '-p', inRoot('apps', 'console')],
  'console-test-types': [TYPESCRIPT, '-p', inRoot('apps', 'console', 'tsconfig.tests.json')],
  lint: [program('eslint', 'bin', 'eslint.js'), '--config', config('eslint.config.js'), '.', '--max-warnings', '0'],
}
const SLOWEST = 'lint'
const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(guards, name))

if (unknown.length > 0) {
  process.stderr.write(`Unknown guard ${unknown.join(', ')}. Use: ${Object.keys(guards).join(', ')}\n`)
  process.exitCode = 2
} else process.exitCode = (await install('tests')) || (await install('guards')) || (await guard())

async function guard() {
  const selected = Object.keys(guards).filter((name) => names.length === 0 || names.includes(name))
  // Lint takes as long as all other guards together, so it runs beside them.
  const lanes = [selected.filter((name) => name === SLOWEST), selected.filter((name) => name !== SLOWEST)]
  const failed = (await Promise.all(lanes.map(runLane))).flat()
  if (failed.length > 0) process.stdout.write(`Failed guards: ${failed.join(', ')}\n`)
  return failed.length > 0 ? 1 : 0
}

/**
 * Runs guards one after the other. Returns the names of those that failed.
 * @param {readonly string[]} lane
 */
async function runLane(lane) {
  const failed = []
  for (const name of lane) {
    const [script = '', ...options] = guards[name] ?? []
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const code = await run(process.execPath, [script, ...options], { quiet: true, env })
    process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'FAILED'}\n`)
    if (code !== 0) failed.push(name)
  }
  return failed
}
