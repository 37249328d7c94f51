import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatMistake, readScenarios } from './scenario-files.ts'

const RIGHT = 'steps:\n  - short: 3/2\n'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'slotwire scenarios '))))
afterEach(() => rmSync(folder, { recursive: true }))

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
    expect(await mistakes(join(folder, 'nowhere.yaml'), folder, file('large.yaml', '#'.repeat(1_048_577)))).toEqual([
      expect.stringContaining('nowhere.yaml: cannot be read: ENOENT'),
      `${folder}: cannot be read: it is a folder: name the files in it`,
      'large.yaml: cannot be read: it is larger than 1048576 bytes',
    ])
    expect(await mistakes('/dev/zero')).toEqual(['/dev/zero: cannot be read: it is larger than 1048576 bytes'])
    expect(await mistakes(file('latin.yaml', Uint8Array.of(0x23, 0xe4, 0x0a)))).toEqual([
      'latin.yaml: cannot be read: it is not UTF-8 text',
    ])
  })
})
