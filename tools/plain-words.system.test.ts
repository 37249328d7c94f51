import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tests/temporary-folder.testkit.ts'
import { inRoot } from './setup/root.mjs'

const guards = (...path: string[]) => inRoot('tools', 'guards', ...path)
const moduleOf = (...path: string[]) => JSON.stringify(pathToFileURL(guards(...path)).href)
/** In parts, so that the rules accept this file. */
const BAD = ['no', 'body'].join('')

const config = `
import markdown from ${moduleOf('node_modules', '@eslint', 'markdown', 'dist', 'index.js')}
import { plainWords } from ${moduleOf('plain-words.js')}
export default [
  { plugins: { 'plain-words': plainWords }, rules: { 'plain-words/words': 'error' } },
  { files: ['*.mjs'], rules: { 'plain-words/titles': 'error' } },
  { files: ['*.md'], plugins: { markdown }, language: 'markdown/gfm' },
]
`

/** The violated rules of each text; none for a good one. */
const cases: readonly (readonly [name: string, file: string, text: string, ...rules: string[]])[] = [
  ['a title that is not a sentence', 'title.mjs', "it('of 700 ms is refused', run)", 'titles'],
  ['the same title in a table', 'table.mjs', "it.each(rows)('that ends late', run)", 'titles'],
  ['a template as title', 'template.mjs', 'test(`from ${unit} on`, run)', 'titles'],
  ['a word in a comment', 'comment.mjs', `// ${BAD} reads this\n`, 'words'],
  ['a word in a string', 'string.mjs', `print('the file is read by ${BAD}')`, 'words'],
  ['a word in a template', 'text.mjs', `print(\`${BAD} \${verb} it\`)`, 'words'],
  ['a word in Markdown', 'page.md', `# Title\n\nThe page that ${BAD} reads.\n`, 'words'],
  ['a good title', 'good-title.mjs', "it('refuses 700 ms', run)"],
  ['a good comment, string and template', 'good.mjs', "// The user reads this.\nprint('no user', `${user} reads it`)"],
  ['a name in code', 'data.mjs', `run('${BAD}')`],
  ['good Markdown, with a word in its code', 'good.md', `# Title\n\nThe user reads \`${BAD}\`.\n\n\`\`\`sh\nid ${BAD}\n\`\`\`\n`],
]

interface Result {
  readonly filePath: string
  readonly messages: readonly { readonly ruleId: string | null }[]
}

describe('the rules for words', () => {
  const folder = temporaryFolder()
  let results: readonly Result[] = []

  beforeAll(() => {
    writeFileSync(join(folder, 'eslint.config.mjs'), config)
    for (const [, file, text] of cases) writeFileSync(join(folder, file), text)
    const program = guards('node_modules', 'eslint', 'bin', 'eslint.js')
    const { stdout } = spawnSync(process.execPath, [program, '--format', 'json', '.'], { cwd: folder, encoding: 'utf8' })
    results = JSON.parse(stdout) as readonly Result[]
  }, 60_000)

  it.each(cases)('judge %s (%s)', (_, file, _text, ...rules) => {
    const found = results.find(({ filePath }) => filePath.endsWith(`/${file}`))
    expect(found?.messages.map(({ ruleId }) => ruleId)).toEqual(rules.map((rule) => `plain-words/${rule}`))
  })
})
