// `npm run mutation [-- --seed <number> --from <number> --count <number>]`: changes the sources at random places, one at a time, and prints
// the changes that no unit or process test notices. The same seed makes the same list of changes; `--from` continues it.
import './setup/require-node.mjs'
import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

const { install } = await import('./setup/install.mjs')
const { inRoot, root } = await import('./setup/root.mjs')

const FOLDERS = ['packages/sdbp/', 'packages/driver/', 'packages/contract/', 'packages/service/', 'modules/']
/** Where the other tests of these sources are: the whole unit tier would take three times as long, for each change that none notices. */
const TESTS = [...FOLDERS, 'packages/device/', 'packages/bench-api/', 'tests/device/']
const NOT_SOURCE = /(\.(test|testkit)\.ts|\.d\.ts)$/
const MAX_SEED = 1_000_000
const DEFAULT_COUNT = 300
/** The tests end in a minute; a change can make them endless. */
const LIMIT_MS = 300_000

const { values } = parseArgs({ options: { seed: { type: 'string' }, from: { type: 'string' }, count: { type: 'string' } } })
const seed = Number(values.seed ?? randomInt(MAX_SEED))
const from = Number(values.from ?? 1)
const count = Number(values.count ?? DEFAULT_COUNT)

process.exitCode = await install('tests')
if (process.exitCode === 0) process.exitCode = await mutate()

async function mutate() {
  const { mutationsOf } = await import('./mutation/mutations.mjs')
  const files = execFileSync('git', ['ls-files', ...FOLDERS.map((folder) => `${folder}*.ts`)], { cwd: root, encoding: 'utf8' })
  const all = files
    .trim()
    .split('\n')
    .filter((file) => !NOT_SOURCE.test(file))
    .flatMap((file) => mutationsOf(readFileSync(inRoot(file), 'utf8')).map((mutation) => ({ file, ...mutation })))
  const hash = (/** @type {FileMutation} */ one) => createHash('sha256').update(`${seed} ${JSON.stringify(one)}`)
  const ordered = all.map((one) => ({ ...one, place: hash(one).digest('hex') })).sort((a, b) => (a.place < b.place ? -1 : 1))
  const chosen = ordered.slice(from - 1, from - 1 + count)
  process.stdout.write(`seed ${seed}: mutations ${from} to ${from + chosen.length - 1} of ${all.length}\n`)
  if (all[0] !== undefined && (await fault({ ...all[0], end: all[0].start, text: '' }, TESTS, 'unchanged')) !== undefined) {
    process.stderr.write('The tests fail without any change: run npm test first\n')
    return 1
  }
  /** @type {string[]} */
  const survivors = []
  const left = chosen.entries()
  const worker = async () => {
    for (const [index, { place: _, ...mutation }] of left) {
      const how = await noticed(mutation)
      process.stdout.write(`${from + index} ${how ?? 'SURVIVED'}: ${described(mutation)}\n`)
      if (how === undefined) survivors.push(described(mutation))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} mutations noticed\n${survivors.join('\n')}\n`)
  return 0
}

/** @typedef {import('./mutation/mutations.mjs').Mutation & { readonly file: string }} FileMutation */

/**
 * How a mutation is noticed: a test of its folder fails, or one elsewhere, or they do not end; undefined: not at all.
 * @param {FileMutation} mutation
 */
async function noticed(mutation) {
  const folder = FOLDERS.find((start) => mutation.file.startsWith(start)) ?? ''
  const others = TESTS.filter((tests) => tests !== folder)
  return (await fault(mutation, [folder], 'in its folder')) ?? (await fault(mutation, others, 'elsewhere'))
}

/**
 * @param {FileMutation} mutation
 * @param {readonly string[]} words
 * @param {string} where
 */
async function fault(mutation, words, where) {
  const config = inRoot('tools', 'mutation', 'vitest.config.mjs')
  const options = ['run', '--config', config, '--maxWorkers=1', '--bail=1', ...words]
  const env = { ...process.env, SLOTWIRE_MUTATION: JSON.stringify(mutation) }
  const limit = /** @type {const} */ ({ timeout: LIMIT_MS, killSignal: 'SIGKILL' })
  const vitest = inRoot('node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, ...options], { cwd: root, env, stdio: 'ignore', ...limit })
  const [code, signal] = await once(child, 'close')
  return signal === limit.killSignal ? 'endless' : code === 0 ? undefined : where
}

/** @param {FileMutation} mutation */
function described({ file, start, end, text }) {
  const code = readFileSync(inRoot(file), 'utf8')
  const line = code.slice(0, start).split('\n').length
  return `${file}:${line}: ${code.slice(start, end)} → ${text}`.replaceAll(/\s+/g, ' ')
}
