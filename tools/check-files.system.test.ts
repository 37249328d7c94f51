import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tests/temporary-folder.testkit.ts'
import { inRoot } from './setup/root.mjs'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  for (const tools of ['setup', 'tests']) cpSync(inRoot('tools', tools), join(folder, 'tools', tools), { recursive: true })
  cpSync(inRoot('tools', 'check-files.mjs'), join(folder, 'tools', 'check-files.mjs'))
  symlinkSync(inRoot('tools', 'guards'), join(folder, 'tools', 'guards'))
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  writeFileSync(join(folder, '.git', 'info', 'exclude'), 'tools/guards\n')
})

function add(file: string, text = ''): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

/** Result of the check for a repository with this additional file. */
function check(file: string, text = ''): { readonly code: number | null; readonly faults: string } {
  add(file, text)
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'tools', 'check-files.mjs')], { encoding: 'utf8' })
  return { code: status, faults: stderr }
}

describe('check-files.mjs', () => {
  it.each([
    ...'src/utils.ts helpers/slot.ts src/slot-helpers.ts src/common-fields.ts'.split(' '),
    ...'packages/slot_util.test.ts a-misc-b/slot.ts'.split(' '),
  ])('refuses %s: a meaningless name', (file) =>
    expect(check(file)).toEqual({ code: 1, faults: `${file}: a meaningless name; name the content\n` }),
  )

  it.each(['src/slot.ts', 'src/miscount.ts', 'src/uncommon.ts', 'src/utility-pole.ts', 'src/helping.ts'])('accepts %s', (file) =>
    expect(check(file)).toEqual({ code: 0, faults: '' }),
  )

  it('accepts 400 lines of code, and rejects 401', () => {
    expect(check('src/slot.ts', '\n'.repeat(400))).toEqual({ code: 0, faults: '' })
    expect(check('src/slot.ts', '\n'.repeat(401))).toEqual({ code: 1, faults: 'src/slot.ts: 401 lines; at most 400\n' })
  })

  it('accepts 25 source files in a folder, and rejects 26', () => {
    for (let number = 1; number < 25; number++) for (const end of ['ts', 'test.ts']) add(`packages/slot-${number}.${end}`)
    expect(check('packages/slot-25.ts')).toEqual({ code: 0, faults: '' })
    const faults = 'packages: 26 source files; at most 25, sort them into folders\n'
    expect(check('packages/slot-26.ts')).toEqual({ code: 1, faults })
  })

  it.each([
    ['packages/slot.sytem.test.ts', 'in no tier of tests; use a suffix of tools/tests/tiers.mjs'],
    ['packages/slot.spec.ts', 'in no tier of tests; use a suffix of tools/tests/tiers.mjs'],
    ['packages/slot.test.mts', 'in no tier of tests; use a suffix of tools/tests/tiers.mjs'],
    ['src/slot.test.ts', 'in no tier of tests; use a suffix of tools/tests/tiers.mjs'],
    ['packages/slot.process.system.test.ts', 'in the tiers process and system; choose one'],
  ])('refuses %s: %s', (file, fault) => expect(check(file)).toEqual({ code: 1, faults: `${file}: ${fault}\n` }))

  const missing = (name: string) => `docs/decisions/${name}`
  /** Composed here, so that this file refers to no page. */
  const number = ['00', '01'].join('')
  it.each([
    ['src/slot.ts', `// see ${missing('0001-one.md')}`, missing('0001-one.md')],
    ['src/slot.ts', `/** Waits; decision ${Number(number)}. */`, missing('0001')],
    ['docs/guide.md', `Slots wait (${number}).`, missing('0001')],
    [missing('0002-two.md'), `As in ${number}: slots wait.`, missing('0001')],
    ['docs/guide.md', '[a slot](../slot.md#rails)', 'slot.md'],
  ])('refuses %s with "%s": it refers to a missing file', (file, text, target) =>
    expect(check(file, text)).toEqual({ code: 1, faults: `${file}: refers to ${target}, which does not exist\n` }),
  )

  it('accepts references to existing files, and other numbers', () => {
    check(missing('0001-one.md'), 'Folders are 0700; [the guide](../guide.md)\n')
    const page = missing('0001-one.md').replace('docs/', '')
    const text = `Decision 1, (${number}), mode (0644), [one](${page}), [there](https://example.org/), [here](#here)\n`
    expect(check('docs/guide.md', text)).toEqual({ code: 0, faults: '' })
  })

  const lock = (entry: object): string => JSON.stringify({ packages: { '': {}, 'packages/a': {}, 'node_modules/a': entry } })
  const integrity = 'sha512-AA=='
  it.each([
    ['a package without a hash', { version: '1.0.0' }, 'has no integrity hash'],
    ['a later major version', { integrity, engines: { node: '>=22' } }, 'needs Node.js >=22'],
    ['two other major versions', { integrity, engines: { node: '^18 || ^22.13' } }, 'needs Node.js ^18 || ^22.13'],
    ['a later patch version', { integrity, engines: { node: '^20.19.3' } }, 'needs Node.js ^20.19.3'],
    ['an earlier major version', { integrity, engines: { node: '>=18 <20.19.0' } }, 'needs Node.js >=18 <20.19.0'],
    ['an unknown range', { integrity, engines: { node: 'any' } }, 'needs Node.js any'],
  ])('refuses a lock file with %s', (_what, entry, fault) => {
    const faults = `package-lock.json: node_modules/a ${fault}\n`
    expect(check('package-lock.json', lock(entry))).toEqual({ code: 1, faults })
  })

  it.each(['*', '>= 10.x', '10.* || >= 12.*', '20 || >=22', '^18.0 || ^20.19.0', '>=22.12.0 || >=20.19.0 <21.0.0', '18 - 24'])(
    'accepts a lock file with hashes and a package for Node.js %s',
    (node) => {
      const own = { link: true, resolved: 'packages/a' }
      expect(check('package-lock.json', lock(own))).toEqual({ code: 0, faults: '' })
      expect(check('package-lock.json', lock({ integrity, engines: { node } }))).toEqual({ code: 0, faults: '' })
    },
  )
})
