// House rules on files: none over 400 lines, none with a name that says nothing.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { inRoot, root } from './setup/root.mjs'

const LONGEST = 400
const CODE = /\.(ts|js|mjs|cjs|sh|html|css|svelte)$/
const SAYS_NOTHING = /(^|[/_-])(utils?|helpers?|common|misc)([/._-]|$)/i

const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
const files = list.split('\0').filter((file) => file !== '' && existsSync(inRoot(file)))

const faults = files.flatMap((file) => {
  const found = []
  if (SAYS_NOTHING.test(file)) found.push(`${file}: a name that says nothing; name what is in it`)
  const lines = CODE.test(file) ? readFileSync(inRoot(file), 'utf8').split('\n').length - 1 : 0
  if (lines > LONGEST) found.push(`${file}: ${lines} lines; at most ${LONGEST}`)
  return found
})
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
