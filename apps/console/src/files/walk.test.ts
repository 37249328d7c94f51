import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { walk } from './walk.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire walk '))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

/** Files by their paths; objects are JSON. */
function write(files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

const found = async () => {
  const { files, names, first } = await walk(join(folder, 'app/main.js'))
  return { files: [...files.keys()], names: Object.fromEntries(names), first }
}

describe('the files of a page', () => {
  it('are those that its modules import, the first page before the rest', async () => {
    write({
      'app/main.js': "import './a/b.js'\nconst later = () => import('./late/page.js')",
      'app/a/b.js': "import '../main.js'\nexport {}",
      'app/late/page.js': "import '../a/b.js'\nimport './part.js'",
      'app/late/part.js': 'export {}',
      'app/unused.js': '',
    })
    const { files, first } = await found()
    expect(files).toEqual(['main.js', 'a/b.js', 'late/page.js', 'late/part.js'])
    expect(first).toEqual(['a/b.js', 'main.js'])
  })

  it.each([
    ['exports with conditions', 'one', { exports: { '.': { types: 'x', browser: './b.js', import: './i.js' } } }, 'b.js'],
    ['the first condition that holds', 'one', { exports: { import: './i.js', browser: './b.js' } }, 'i.js'],
    [
      'nested conditions',
      'one',
      { exports: { '.': { node: './n.js', default: { require: './r.js', default: './i.js' } } } },
      'i.js',
    ],
    ['a text', 'one', { exports: './i.js' }, 'i.js'],
    ['a path', 'one/hooks', { exports: { '.': './i.js', './hooks': './b.js' } }, 'b.js'],
    ['a pattern', 'one/b', { exports: { './*': { default: './*.js' } } }, 'b.js'],
    ['a module without exports', 'one', { main: './n.js', module: './i.js' }, 'i.js'],
    ['a file without exports', 'one/b.js', { main: './n.js' }, 'b.js'],
  ])('are found in a package by %s', async (_, name, manifest, file) => {
    const texts = Object.fromEntries(['b', 'i', 'n', 'r'].map((one) => [`node_modules/one/${one}.js`, '']))
    write({ 'app/main.js': `import '${name}'`, 'node_modules/one/package.json': manifest, ...texts })
    expect(await found()).toMatchObject({ names: { [name]: `packages/one/${file}` }, first: [`packages/one/${file}`, 'main.js'] })
  })

  it('may come from packages of packages, with a scope', async () => {
    write({
      'app/main.js': "import '@a/one'",
      'node_modules/@a/one/package.json': { exports: './src/index.js' },
      'node_modules/@a/one/src/index.js': "import './part.js'\nimport 'two'",
      'node_modules/@a/one/src/part.js': '',
      'node_modules/two/package.json': { exports: './two.js' },
      'node_modules/two/two.js': '',
    })
    expect((await found()).files).toEqual([
      'main.js',
      'packages/@a/one/src/index.js',
      'packages/@a/one/src/part.js',
      'packages/two/two.js',
    ])
  })

  it.each([
    ['a package that is not installed', "import 'nowhere'", /imports nowhere, which is not installed/],
    ['a name that a package does not export', "import 'one/secret'", /the package of one\/secret has no file for browsers/],
    ['a package for Node.js only', "import 'two'", /the package of two has no file for browsers/],
    ['a missing file', "import './missing.js'", /ENOENT/],
  ])('cannot be found with %s', async (_, text, message) => {
    write({
      'app/main.js': text,
      'node_modules/one/package.json': { exports: { '.': './one.js' } },
      'node_modules/two/package.json': { exports: { node: './two.js' } },
    })
    await expect(found()).rejects.toThrow(message)
  })

  it('must have one version of each package', async () => {
    write({
      'app/main.js': "import 'one'\nimport 'two'",
      'node_modules/one/package.json': { exports: './one.js' },
      'node_modules/one/one.js': "import 'two'",
      'node_modules/one/node_modules/two/package.json': { exports: './two.js' },
      'node_modules/one/node_modules/two/two.js': '',
      'node_modules/two/package.json': { exports: './two.js' },
      'node_modules/two/two.js': '',
    })
    await expect(found()).rejects.toThrow('packages/two/two.js would be two files')
  })
})
