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

/** What the check says to a repository with this one file more. */
function said(file: string, text = ''): { readonly code: number | null; readonly faults: string } {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'tools', 'check-files.mjs')], { encoding: 'utf8' })
  return { code: status, faults: stderr }
}

describe('the check of files', () => {
  it.each([
    'src/utils.ts',
    'helpers/slot.ts',
    'src/slot-helpers.ts',
    'src/common-fields.ts',
    'packages/slot_util.test.ts',
    'a-misc-b/slot.ts',
  ])('refuses %s: a name that says nothing', (file) => {
    expect(said(file)).toEqual({ code: 1, faults: `${file}: a name that says nothing; name what is in it\n` })
  })

  it.each(['src/slot.ts', 'src/miscount.ts', 'src/uncommon.ts', 'src/utility-pole.ts', 'src/helping.ts'])(
    'lets %s pass',
    (file) => {
      expect(said(file)).toEqual({ code: 0, faults: '' })
    },
  )

  it('lets 400 lines of code pass, not 401', () => {
    expect(said('src/slot.ts', '\n'.repeat(400))).toEqual({ code: 0, faults: '' })
    expect(said('src/slot.ts', '\n'.repeat(401))).toEqual({ code: 1, faults: 'src/slot.ts: 401 lines; at most 400\n' })
  })

  it('accepts 25 source files in a folder, and rejects 26', () => {
    for (let number = 1; number < 25; number++) for (const end of ['ts', 'test.ts']) said(`packages/slot-${number}.${end}`)
    expect(said('packages/slot-25.ts')).toEqual({ code: 0, faults: '' })
    const faults = 'packages: 26 source files; at most 25, sort them into folders\n'
    expect(said('packages/slot-26.ts')).toEqual({ code: 1, faults })
  })

  it.each([
    ['packages/slot.sytem.test.ts', 'in no tier of tests; end its name as tools/tests/tiers.mjs says'],
    ['packages/slot.spec.ts', 'in no tier of tests; end its name as tools/tests/tiers.mjs says'],
    ['packages/slot.test.mts', 'in no tier of tests; end its name as tools/tests/tiers.mjs says'],
    ['src/slot.test.ts', 'in no tier of tests; end its name as tools/tests/tiers.mjs says'],
    ['packages/slot.process.system.test.ts', 'in the tiers process and system; choose one'],
  ])('refuses %s: %s', (file, fault) => {
    expect(said(file)).toEqual({ code: 1, faults: `${file}: ${fault}\n` })
  })

  const missing = (name: string) => `docs/decisions/${name}`
  /** Put together here: this file refers to no page. */
  const number = ['00', '01'].join('')
  it.each([
    ['src/slot.ts', `// see ${missing('0001-one.md')}`, missing('0001-one.md')],
    ['src/slot.ts', `/** Waits; decision ${Number(number)}. */`, missing('0001')],
    ['docs/guide.md', `Slots wait (${number}).`, missing('0001')],
    [missing('0002-two.md'), `As in ${number}: slots wait.`, missing('0001')],
    ['docs/guide.md', '[a slot](../slot.md#rails)', 'slot.md'],
  ])('refuses %s with "%s": it refers to something that is not there', (file, text, target) => {
    expect(said(file, text)).toEqual({ code: 1, faults: `${file}: refers to ${target}, which is not there\n` })
  })

  it('accepts references to what is there, and numbers of other things', () => {
    said(missing('0001-one.md'), 'Folders are 0700; [the guide](../guide.md)\n')
    const page = missing('0001-one.md').replace('docs/', '')
    const text = `Decision 1, (${number}), mode (0644), [one](${page}), [there](https://example.org/), [here](#here)\n`
    expect(said('docs/guide.md', text)).toEqual({ code: 0, faults: '' })
  })
})
