// Rules for files: at most 400 lines, no meaningless name, no large folder, every test in one tier, no reference to a missing page,
// and for lock files: a hash for every package, no package that needs a later Node.js than we do.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NEEDED } from './setup/require-node.mjs'
import { inRoot, root } from './setup/root.mjs'
import { tiersOf } from './tests/tiers.mjs'

const MAX_LINES = 400
/** Source files of one folder, without tests. */
const MAX_FILES = 25
const CODE = /\.([cm]?[jt]sx?|sh|html|css|svelte)$/
/** Files that look like tests; with another suffix they would never run. */
const TEST = /(\.(tests?|spec|process|system|long)|-(test|spec))\.[cm]?[jt]sx?$/
const TEST_SUPPORT = /\.(test|testkit)\.ts$/
/** tools/add-a-module.system.test.ts runs the tests of the example in a copy of the repository. */
const EXAMPLES = 'examples/'
const DECISIONS = 'docs/decisions/'
/** A decision by its page or its number. */
const DECISION = /\bdecisions\/(\d{4}-[\w-]+\.md)|\bdecision (\d{1,4})\b|\((0[0-3]\d\d)\)/gi
/** Decisions refer to each other by number alone. */
const NUMBER = /(?<![\w.,+/-])(0[0-3]\d\d)(?![\w.,/-]\w)/g
const LINK = /\]\((?!\w+:|#)([^)#\s]+)(?:#[^)\s]*)?\)/g
/** @type {{ satisfies: (version: string, range: string) => boolean }} */
const { satisfies } = createRequire(inRoot('tools', 'guards', 'package.json'))('semver')
const MEANINGLESS = /(^|[/_-])(utils?|helpers?|common|misc)([/._-]|$)/i

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
const files = list.split('\0').filter((file) => file !== '' && existsSync(inRoot(file)))
const sources = files.filter((file) => CODE.test(file) && !TEST_SUPPORT.test(file))

const faults = files.flatMap((file) => {
  const problems = []
  if (MEANINGLESS.test(file)) problems.push(`${file}: a meaningless name; name the content`)
  const lines = CODE.test(file) ? readFileSync(inRoot(file), 'utf8').split('\n').length - 1 : 0
  if (lines > MAX_LINES) problems.push(`${file}: ${lines} lines; at most ${MAX_LINES}`)
  const tiers = TEST.test(file) && !file.startsWith(EXAMPLES) ? tiersOf(file) : ['-']
  if (tiers.length === 0) problems.push(`${file}: in no tier of tests; use a suffix of tools/tests/tiers.mjs`)
  if (tiers.length > 1) problems.push(`${file}: in the tiers ${tiers.join(' and ')}; choose one`)
  return [...problems, ...(file.endsWith('package-lock.json') ? lockFaults(file) : [])]
})
for (const file of files)
  for (const missing of missingReferences(file)) faults.push(`${file}: refers to ${missing}, which does not exist`)
for (const folder of new Set(sources.map((file) => dirname(file)))) {
  const count = sources.filter((file) => dirname(file) === folder).length
  if (count > MAX_FILES) faults.push(`${folder}: ${count} source files; at most ${MAX_FILES}, sort them into folders`)
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0

/**
 * The missing targets of a file's references: decisions, and files that a page links to.
 * @param {string} file
 */
function missingReferences(file) {
  const text = readFileSync(inRoot(file), 'utf8')
  const mentions = [...text.matchAll(DECISION), ...(file.startsWith(DECISIONS) ? text.matchAll(NUMBER) : [])]
  const decisions = mentions.map(([, page, ...numbers]) => DECISIONS + (page ?? numbers.join('').padStart(4, '0')))
  const links = file.endsWith('.md') ? [...text.matchAll(LINK)].map(([, path = '']) => join(dirname(file), path)) : []
  const missing = [
    ...decisions.filter((start) => !files.some((name) => name.startsWith(start))),
    ...links.filter((path) => !existsSync(inRoot(path))),
  ]
  return new Set(missing)
}

/**
 * Faults of a lock file. npm installs a package without a hash unchecked; one within another package has the hash of that one.
 * @param {string} file
 */
function lockFaults(file) {
  /** @type {{ packages: Record<string, { link?: boolean, inBundle?: boolean, integrity?: string, engines?: { node?: string } }> }} */
  const { packages } = JSON.parse(readFileSync(inRoot(file), 'utf8'))
  return Object.entries(packages).flatMap(([path, { link, inBundle, integrity, engines }]) => [
    ...(path.includes('node_modules/') && !link && !inBundle && !integrity ? [`${file}: ${path} has no integrity hash`] : []),
    ...(satisfies(NEEDED.join('.'), engines?.node ?? '*') ? [] : [`${file}: ${path} needs Node.js ${engines?.node}`]),
  ])
}
