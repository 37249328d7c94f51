import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type PlainValue, SETTINGS, type Setting } from '@slotwire/network'
import { describe, expect, it } from 'vitest'
import { STATE_FILES } from '../../packages/network/src/backup/backup.ts'
import { parseSettings } from '../../packages/network/src/settings/parse-settings.ts'
import { formatProblem } from '../../packages/network/src/settings/setting.ts'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'

const PAGE = 'docs/guide/settings.md'
const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const SLOTWIRE = `slotwire() { '${process.execPath}' '${MAIN}' "$@"; }\n`
const page = readFileSync(inRoot(PAGE), 'utf8')
const blocks = blocksOf(PAGE)

const examples = blocks.flatMap(({ language, line, text }, index) =>
  language === 'sh' ? [{ line, commands: text, answer: blocks[index + 1]?.text ?? '' }] : [],
)

const code = (text: string) => `\`${text}\``

function defaultOf({ key, name, plain }: Setting): string {
  const words = (value: PlainValue): string => {
    if (value === null) return key === 'host-name' ? 'the system’s' : 'none'
    if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : code(JSON.stringify(value))
    return code(String(value))
  }
  return words(plain(DEFAULT_SETTINGS[name]))
}

/** A row of the table of keys. */
function rowOf(setting: Setting): string {
  const { key, wording, about, spec, effect } = setting
  const meaning = spec === undefined ? about : `${about} Spec “${spec}”.`
  return `| ${code(key)} | ${meaning} | ${wording} | ${defaultOf(setting)} | ${effect === 'reload' ? 'at once' : 'next start'} |`
}

describe(PAGE, () => {
  it('has every setting, as it is declared', () => {
    const rows = page.split('\n').filter((line) => /^\| `[a-z.-]+` \|.*\| (at once|next start) \|$/.test(line))
    expect(rows).toEqual(SETTINGS.map(rowOf))
  })

  it('has every file of a backup, as it is declared', () => {
    const rows = [...page.matchAll(/^\| `(\S+)` \| .* \| (yes|with `--identity`) \|$/gm)].map(([, ...row]) => row)
    const declared = [...STATE_FILES].map(([path, { isIdentity }]) => [
      path.replace(/\d/, 'N'),
      isIdentity === true ? 'with `--identity`' : 'yes',
    ])
    expect(rows).toEqual([...new Map(declared.map((row) => [row[0], row])).values()])
  })

  it('shows a file with every setting, and it is right', () => {
    const [file] = blocks.filter(({ language }) => language === 'yaml')
    const { problems, keys } = parseSettings(file?.text ?? '', 'settings.yaml')
    expect(problems.map(formatProblem)).toEqual([])
    expect([...keys].sort()).toEqual(SETTINGS.map(({ key }) => key).sort())
  })

  it('shows a broken file, and what is said of it', () => {
    const index = blocks.findLastIndex(({ language }) => language === 'yaml')
    const { problems } = parseSettings(blocks[index]?.text ?? '', 'settings.yaml')
    expect(problems.map(formatProblem).join('\n')).toBe(blocks[index + 1]?.text)
  })
})

describe(`the examples of ${PAGE}`, { timeout: 60_000 }, () => {
  const folder = temporaryFolder()

  it('are all there', () => expect(examples.length).toBeGreaterThan(4))

  it.each(examples)('line $line: $commands', ({ commands, answer }) => {
    const script = `exec 2>&1\n${SLOTWIRE}${commands}`
    const environment = { ...process.env, SLOTWIRE_STATE: join(folder, 'state') }
    const { stdout, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    })
    expect(withoutSpace(stdout)).toMatch(patternOf(answer))
    expect(status).toBe(0)
  })
})
