// `node tools/test.mjs <tier> … <vitest options>`: installs, builds and runs test tiers.
import './setup/require-node.mjs'
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const { install } = await import('./setup/install.mjs')
const { build } = await import('./setup/build.mjs')
const { inRoot } = await import('./setup/root.mjs')
const { run } = await import('./setup/run.mjs')
const { debianPackage, programNames } = await import('./setup/system-programs.mjs')
const { formatCounts, REPORTS, runTests } = await import('./tests/run-tests.mjs')
const { OTHER_VERSIONS, otherNode } = await import('./tests/other-node.mjs')

/** @typedef {import('./tests/run-tests.mjs').TestRun} TestRun */
/** @typedef {import('./tests/run-tests.mjs').Outcome} Outcome */

/** One worker more than processors, because some tests wait for sockets and processes. */
const WORKERS = `--maxWorkers=${availableParallelism() + 1}`
/** Factor for generated cases in `npm run test:long`. */
const LONG_CASES = '40'
const SLOWEST_SHOWN = 20
const MAX_SEED = 1_000_000

/** @type {TestRun} */
const unit = { name: 'unit', project: 'unit', options: [WORKERS] }
/** @satisfies {Record<string, readonly TestRun[]>} */
const runs = {
  unit: [unit],
  process: [{ name: 'process', project: 'process', options: [WORKERS], again: true }],
  system: [
    { name: 'system', project: 'system', options: [WORKERS], again: true },
    { name: "the whole device over the kernel's files", project: 'kernel', options: [WORKERS], again: true },
  ],
  long: [
    { name: 'long', project: 'long', options: ['--maxWorkers=1'] },
    {
      name: 'unit, many generated cases',
      project: 'unit',
      options: [...(unit.options ?? []), '--testTimeout=600000'],
      env: { SLOTWIRE_CASES: LONG_CASES },
    },
  ],
}

/** @param {string} word */
const isTier = (word) => Object.hasOwn(runs, word) || word === 'nodes' || word === 'watch'
const words = process.argv.slice(2)
const end = words.findIndex((word) => !isTier(word))
const [tiers, options] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)]
const onlyUnit = tiers.every((word) => word === 'unit' || word === 'watch')

process.exitCode =
  (await install('tests')) || (onlyUnit ? 0 : (await install(tiers.includes('system') ? 'guards' : 'tests')) || (await build()))
if (process.exitCode === 0) process.exitCode = tiers.includes('watch') ? await watch() : await test()

/** Runs unit tests again when a file that they import changes. */
function watch() {
  return run(process.execPath, [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'watch', '--project', 'unit', ...options])
}

async function test() {
  /** @type {Outcome[]} */
  const outcomes = []
  for (const word of tiers) {
    if (word === 'nodes') outcomes.push(...(await onOtherNodes()))
    else for (const testRun of runs[/** @type {keyof typeof runs} */ (word)]) outcomes.push(await runTests(testRun, options))
  }
  const missing = printNotRun(outcomes.flatMap(({ notRun }) => notRun))
  if (tiers.includes('system')) printSlowest(outcomes)
  list('Failed together with other tests; their files ran again separately:', outcomes, ({ failedAtFirst = [] }) => failedAtFirst)
  list('Failed:', outcomes, ({ failures }) => failures)
  const total = `${formatCounts(outcomes)}\n`
  if (outcomes.length > 1) process.stdout.write(total)
  // .ci/run prints this at its end.
  writeFileSync(`${REPORTS}/total.txt`, total)
  if (outcomes.every(({ passed, failed, notRun }) => passed + failed + notRun.length === 0)) {
    process.stderr.write(`No test matches: ${options.join(' ')}\n`)
    return 1
  }
  return outcomes.find(({ code }) => code !== 0)?.code ?? (missing && process.env['CI'] === 'true' ? 1 : 0)
}

/** Runs the unit tier on other versions of Node.js, in random order. A seed repeats an order. */
async function onOtherNodes() {
  /** @type {Outcome[]} */
  const outcomes = []
  for (const major of OTHER_VERSIONS) {
    const name = `unit, Node.js ${major}`
    const node = await otherNode(major)
    if (node === undefined) {
      process.stderr.write(`npm has no Node.js ${major} for ${process.platform} ${process.arch}: run this on Linux or macOS\n`)
      outcomes.push({ name, code: 1, passed: 0, failed: 1, failures: [], notRun: [], files: [] })
      continue
    }
    const order = ['--sequence.shuffle.tests', '--sequence.shuffle.files', `--sequence.seed=${randomInt(MAX_SEED)}`]
    outcomes.push(await runTests({ ...unit, name, node, options: [...(unit.options ?? []), ...order] }, options))
    process.stdout.write(`To repeat this order: npm run test:unit -- ${order.join(' ')}\n\n`)
  }
  return outcomes
}

/**
 * Prints missing system programs, and the tests that need them.
 * @param {readonly string[]} titles of tests that were not run
 */
function printNotRun(titles) {
  for (const name of programNames) {
    const lacking = titles.filter((title) => needs(title, name))
    if (lacking.length === 0) continue
    process.stderr.write(
      `\nNot found or not permitted: ${name}. On Debian: apt-get install ${debianPackage(name)}; or tools/install-system-programs.sh\n`,
    )
    for (const title of lacking) process.stderr.write(`  not run: ${title}\n`)
  }
  return titles.length > 0
}

/**
 * Whether a test's title says that it needs a program, alone or among others (describe-with.mjs).
 * @param {string} title
 * @param {string} name
 */
function needs(title, name) {
  return [...title.matchAll(/\(needs ([^()]*)\)/g)].some(([, names]) => names?.split(', ').includes(name))
}

/**
 * Prints lines under a heading, if there are any.
 * @param {string} heading
 * @param {readonly Outcome[]} outcomes
 * @param {(outcome: Outcome) => readonly string[]} linesOf
 */
function list(heading, outcomes, linesOf) {
  const lines = outcomes.flatMap((outcome) => linesOf(outcome).map((line) => `  ${outcome.name}: ${line}\n`))
  if (lines.length > 0) process.stdout.write(`${heading}\n${lines.join('')}\n`)
}

/** @param {readonly Outcome[]} outcomes */
function printSlowest(outcomes) {
  const files = outcomes.flatMap(({ name, files: each }) => each.map((file) => ({ ...file, of: name })))
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
  const lines = slowest.map(({ name, seconds, of }) => `${seconds.toFixed(1).padStart(7)} s  ${name} (${of})\n`)
  process.stdout.write(`The slowest files:\n${lines.join('')}\n`)
}
