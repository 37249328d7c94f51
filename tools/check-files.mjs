// Rules on files: no file over 400 lines, no name that says nothing, no large folder, every test in one tier.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { inRoot, root } from './setup/root.mjs'
import { tiersOf } from './tests/tiers.mjs'

const MOST_LINES = 400
/** Source files of one folder, without tests. */
const MOST_FILES = 25
const CODE = /\.([cm]?[jt]sx?|sh|html|css|svelte)$/
/** Files that look like tests; with another suffix they would never run. */
const TEST = /(\.(tests?|spec|process|system|long)|-(test|spec))\.[cm]?[jt]sx?$/
const TEST_SUPPORT = /\.(test|testkit)\.ts$/
/** tools/add-a-module.system.test.ts runs the tests of the example in a copy of the repository. */
const EXAMPLES = 'examples/'
const SAYS_NOTHING = /(^|[/_-])(utils?|helpers?|common|misc)([/._-]|$)/i

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
const files = list.split('\0').filter((file) => file !== '' && existsSync(inRoot(file)))
const sources = files.filter((file) => CODE.test(file) && !TEST_SUPPORT.test(file))

const faults = files.flatMap((file) => {
  const found = []
  if (SAYS_NOTHING.test(file)) found.push(`${file}: a name that says nothing; name what is in it`)
  const lines = CODE.test(file) ? readFileSync(inRoot(file), 'utf8').split('\n').length - 1 : 0
  if (lines > MOST_LINES) found.push(`${file}: ${lines} lines; at most ${MOST_LINES}`)
  const tiers = TEST.test(file) && !file.startsWith(EXAMPLES) ? tiersOf(file) : ['-']
  if (tiers.length === 0) found.push(`${file}: in no tier of tests; end its name as tools/tests/tiers.mjs says`)
  if (tiers.length > 1) found.push(`${file}: in the tiers ${tiers.join(' and ')}; choose one`)
  return found
})
for (const folder of new Set(sources.map((file) => dirname(file)))) {
  const count = sources.filter((file) => dirname(file) === folder).length
  if (count > MOST_FILES) faults.push(`${folder}: ${count} source files; at most ${MOST_FILES}, sort them into folders`)
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
