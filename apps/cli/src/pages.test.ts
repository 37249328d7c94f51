import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordKinds } from '@slotwire/contract'
import { describe, expect, it } from 'vitest'
import workspace from '../../../package.json' with { type: 'json' }
import { blocksOf } from '../../../tests/guides/examples.testkit.ts'
import { inRoot } from '../../../tools/setup/root.mjs'
import manifest from '../package.json' with { type: 'json' }
import { commands } from './commands.ts'
import { exitCodes } from './remote/with-device.ts'

/** Pages for contributors alone: their TypeScript is not a file that a reader runs. */
const FOR_CONTRIBUTORS = ['docs/add-a-module.md']
/** The name alone: a file or a path is no package of npm. */
const INSTALLED_BY_NAME = /\bnpm (?:i|install|add|exec)\b[^`\n]*\sslotwire(?![\w./-])/
const IN_A_CLONE_OR_PROJECT = /^(npm start|npx slotwire|npm run)\b/m

const markdown = (folder: string) =>
  readdirSync(inRoot(folder), { recursive: folder !== '', encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))
const pages = ['', 'docs', 'examples'].flatMap(markdown)
const guides = pages.filter((page) => page.startsWith('docs/guide/'))
const textOf = (page: string): string => readFileSync(inRoot(page), 'utf8')

describe.each(guides)('%s', (page) => {
  it('begins with what the reader can do after it', () => expect(textOf(page)).toMatch(/^# .+\n\nAfter this page /))

  it('says where its commands run, before the first that needs a clone or a project', () => {
    const first = blocksOf(page).find(({ language, text }) => language === 'sh' && IN_A_CLONE_OR_PROJECT.test(text))
    const before = textOf(page)
      .split('\n', first?.line ?? 0)
      .join(' ')
    expect(before).toMatch(first === undefined ? '' : /\bclone\b/)
  })

  it('is in docs/index.md', () => expect(textOf('docs/index.md')).toContain(`](${page.replace('docs/', '')})`))
})

it('lets no page install slotwire by its name, which on npm is not ours', () =>
  expect(pages.flatMap((page) => INSTALLED_BY_NAME.exec(textOf(page))?.[0] ?? [])).toEqual([]))

it('has TypeScript only in files of vitest: Node.js 20 runs no other', () => {
  const blocks = pages.filter((page) => !FOR_CONTRIBUTORS.includes(page)).flatMap(blocksOf)
  expect(blocks.filter(({ language, text }) => language === 'ts' && !/from '(vitest|slotwire\/vitest)'/.test(text))).toEqual([])
})

it('names no other address of the repository than the manifest', () => {
  const addresses = pages.flatMap((page) => textOf(page).match(/(?<=git clone )\S+|https:\/\/git\.[^\s)`]+/g) ?? [])
  expect(addresses.filter((address) => !address.startsWith(manifest.homepage))).toEqual([])
})

it.each([
  ['package', 'docs/architecture.md', readdirSync(inRoot('packages')).map((name) => `\n  ${name}/ `)],
  [
    'script',
    'CONTRIBUTING.md',
    Object.keys(workspace.scripts).map((name) => (/^(start|test)$/.test(name) ? `npm ${name}` : `npm run ${name}`)),
  ],
  ['export', 'README.md', Object.keys(manifest.exports).map((path) => path.replace('.', 'slotwire'))],
  ['export', 'docs/releasing.md', Object.keys(manifest.exports).map((path) => path.replace('.', 'slotwire'))],
  ['kind of error', 'docs/guide/client.md', Object.keys(exitCodes).map((kind) => `\n| \`${kind}\` |`)],
  ['kind of record', 'docs/guide/events.md', recordKinds.map((kind) => `\n| \`${kind}\` |`)],
  ['program', 'examples/client/README.md', readdirSync(inRoot('examples', 'client'))],
])('names every %s in %s', (_, page, names) =>
  expect(names.filter((name) => !page.endsWith(name) && !textOf(page).includes(name))).toEqual([]),
)

it('shows every command in a guide', () => {
  const text = guides.map(textOf).join('')
  expect(Object.keys(commands).filter((name) => !new RegExp(`(slotwire |\`)${name}\\b`).test(text))).toEqual([])
})

it('has one address of the repository, and the name of the present tarball, in the manifest and the README', () => {
  const { homepage, repository, bugs, version } = manifest
  expect([repository.url, bugs]).toEqual([`git+${homepage}.git`, `${homepage}/issues`])
  for (const text of [`git clone ${homepage}.git`, `\`${new URL(homepage).host}\``, `/slotwire-${version}.tgz`])
    expect(textOf('README.md')).toContain(text)
})
