import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { formatMistake, readScenarios, type Selection } from './scenario-files.ts'

const RIGHT = 'steps:\n  - short: 3/2\n'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function mistakes(...files: string[]): Promise<readonly string[]> {
  const read = await readScenarios(files)
  return read.mistakes.map((mistake) => formatMistake(mistake).replaceAll(`${folder}/`, ''))
}

describe('readScenarios', () => {
  describe('of a folder', () => {
    beforeEach(() => {
      mkdirSync(join(folder, 'more', 'x.yaml'), { recursive: true })
      file('z.yml', 'tags: [smoke, slow]\nvalues: { pin: 3/1 }\nsteps: [{ short: $pin }]\n')
      file('more/b.YAML', `tags: [slow]\n${RIGHT}`)
      file('more/a.yaml', RIGHT)
      file('more/a.csv', '0,0')
    })

    it.each<[Selection, readonly string[]]>([
      [{}, ['a', 'b.YAML', 'z.yml']],
      [{ tag: ['smoke'], set: new Map([['pin', '3/2']]) }, ['z.yml']],
      [{ tag: ['smoke', 'slow'] }, ['b.YAML', 'z.yml']],
    ])('%j reads them in order, and those with one of the tags', async (selection, names) => {
      const { scenarios, mistakes: found } = await readScenarios([folder], selection)
      expect([scenarios.map(({ file: path }) => path.replace(/.*\/|\.yaml$/g, '')), found]).toEqual([names, []])
      if (selection.set !== undefined) expect(scenarios[0]?.steps[0]?.pins[0]?.name).toBe('3/2')
    })

    it.each<[Selection, string]>([
      [{ tag: ['smok'] }, 'no scenario of this run has the tag smok: did you mean smoke?'],
      [{ set: new Map([['pni', '1']]) }, 'no scenario of this run has the value pni: did you mean pin?'],
      [{ tag: ['slow'], set: new Map([['x', '1']]) }, 'no scenario of this run has the value x: write pin'],
    ])('refuses %j', (selection, message) => expect(readScenarios([folder], selection)).rejects.toThrow(message))
  })

  it('returns them in order, also those with a byte order mark', async () => {
    const files = [file('b.yaml', RIGHT), file('a.yaml', `\ufeff${RIGHT}`)]
    const { scenarios, mistakes: found } = await readScenarios(files)
    expect([scenarios.map(({ name }) => name), found]).toEqual([['b', 'a'], []])
  })

  it('reports every mistake of every file, with its place', async () => {
    const wrong = [file('a.yaml', 'steps:\n  - shrot: 3/2\n  - short: 3/9\n'), file('b.yaml', RIGHT), file('c.yaml', 'seed: 1\n')]
    expect(await mistakes(...wrong)).toEqual([
      expect.stringMatching(/^a\.yaml:2:5: .*did you mean short\?/),
      expect.stringMatching(/^a\.yaml:3:12: /),
      expect.stringMatching(/^c\.yaml:1:1: .*steps/),
    ])
  })

  it('accepts only module types that can be plugged', async () =>
    expect(await mistakes(file('a.yaml', 'modules: { 3: oi }\nsteps:\n  - short: 3/2\n'))).toEqual([
      expect.stringMatching(/^a\.yaml:1:15: .*did you mean io\?/),
    ]))

  it('escapes control characters in file names', async () =>
    expect(await mistakes(join(folder, 'no\x1b[31m\nfile.yaml'))).toEqual([
      expect.stringMatching(/^no\\u\{1b\}\[31m\\nfile\.yaml: cannot be read: ENOENT/),
    ]))

  it('reports files that are not scenarios', async () => {
    mkdirSync(join(folder, 'empty'))
    expect(
      await mistakes(join(folder, 'nowhere.yaml'), join(folder, 'empty'), file('large.yaml', '#'.repeat(1_048_577))),
    ).toEqual([
      expect.stringContaining('nowhere.yaml: cannot be read: ENOENT'),
      `empty: cannot be read: it is a folder without files *.yaml or *.yml`,
      'large.yaml: cannot be read: it is larger than 1048576 bytes',
    ])
    expect(await mistakes('/dev/zero')).toEqual(['/dev/zero: cannot be read: it is larger than 1048576 bytes'])
    expect(await mistakes(file('latin.yaml', Uint8Array.of(0x23, 0xe4, 0x0a)))).toEqual([
      'latin.yaml: cannot be read: it is not UTF-8 text',
    ])
  })
})
