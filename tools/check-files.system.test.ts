import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inRoot } from './setup/root.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire files '))
  for (const tools of ['setup', 'tests']) cpSync(inRoot('tools', tools), join(folder, 'tools', tools), { recursive: true })
  cpSync(inRoot('tools', 'check-files.mjs'), join(folder, 'tools', 'check-files.mjs'))
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Result of the check for a repository with this additional file. */
function check(file: string, text = ''): { readonly code: number | null; readonly faults: string } {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'tools', 'check-files.mjs')], { encoding: 'utf8' })
  return { code: status, faults: stderr }
}

describe('check-files.mjs', () => {
  it.each([
    'src/utils.ts',
    'helpers/slot.ts',
    'src/slot-helpers.ts',
    'src/common-fields.ts',
    'packages/slot_util.test.ts',
    'a-misc-b/slot.ts',
  ])('refuses %s: a meaningless name', (file) => {
    expect(check(file)).toEqual({ code: 1, faults: `${file}: a meaningless name; name the content\n` })
  })

  it.each(['src/slot.ts', 'src/miscount.ts', 'src/uncommon.ts', 'src/utility-pole.ts', 'src/helping.ts'])(
    'accepts %s',
    (file) => {
      expect(check(file)).toEqual({ code: 0, faults: '' })
    },
  )

  it('accepts 400 lines of code, and rejects 401', () => {
    expect(check('src/slot.ts', '\n'.repeat(400))).toEqual({ code: 0, faults: '' })
    expect(check('src/slot.ts', '\n'.repeat(401))).toEqual({ code: 1, faults: 'src/slot.ts: 401 lines; at most 400\n' })
  })

  it('accepts 25 source files in a folder, and rejects 26', () => {
    for (let number = 1; number < 25; number++) for (const end of ['ts', 'test.ts']) check(`packages/slot-${number}.${end}`)
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
  ])('refuses %s: %s', (file, fault) => {
    expect(check(file)).toEqual({ code: 1, faults: `${file}: ${fault}\n` })
  })

  const missing = (name: string) => `docs/decisions/${name}`
  /** Composed here, so that this file refers to no page. */
  const number = ['00', '01'].join('')
  it.each([
    ['src/slot.ts', `// see ${missing('0001-one.md')}`, missing('0001-one.md')],
    ['src/slot.ts', `/** Waits; decision ${Number(number)}. */`, missing('0001')],
    ['docs/guide.md', `Slots wait (${number}).`, missing('0001')],
    [missing('0002-two.md'), `As in ${number}: slots wait.`, missing('0001')],
    ['docs/guide.md', '[a slot](../slot.md#rails)', 'slot.md'],
  ])('refuses %s with "%s": it refers to a missing file', (file, text, target) => {
    expect(check(file, text)).toEqual({ code: 1, faults: `${file}: refers to ${target}, which does not exist\n` })
  })

  it('accepts references to existing files, and other numbers', () => {
    check(missing('0001-one.md'), 'Folders are 0700; [the guide](../guide.md)\n')
    const page = missing('0001-one.md').replace('docs/', '')
    const text = `Decision 1, (${number}), mode (0644), [one](${page}), [there](https://example.org/), [here](#here)\n`
    expect(check('docs/guide.md', text)).toEqual({ code: 0, faults: '' })
  })
})
