import { describe, expect, it } from 'vitest'
import { type NewValue, withValue } from './change-settings.ts'
import { settingsTree } from './parse-settings.ts'

const FILE = `# Press 4

# as on the label
host-name: press-4 # do not change
names:
  - a # until June
  - 10.1.2.3
doors:
  https-port: 443 # ours

# the end
`

describe('withValue', () => {
  it.each<[is: string, text: string, path: [string, string?], value: NewValue, result: string]>([
    ['keeps all comments beside a new value', FILE, ['host-name'], 'b', FILE.replace('press-4 #', 'b #')],
    ['adds a group after the last one', FILE, ['events', 'streams'], 'a', FILE.replace('ours', 'ours\nevents:\n  streams: a')],
    ['adds to a group', FILE, ['doors', 'port'], '80', FILE.replace('ours', 'ours\n  port: 80')],
    ['keeps comments beside items', FILE, ['names'], ['b', 'a'], FILE.replace(/- a.*\n.*3/, '- b\n  - a # until June')],
    ['moves a removed item’s comment above', FILE, ['names'], ['b'], FILE.replace(/(names:\n.*)a (#.*)\n.*3/, '$2\n$1b')],
    ['keeps comments at the head', 'a: b # b\nc: d', ['a'], undefined, '# b\nc: d\n'],
    ['keeps comments above a removed value', '# a\na: b\nc: d', ['a'], undefined, '# a\nc: d\n'],
    ['removes an empty group', 'a: b\nc:\n  # e\n  d: e\n', ['c', 'd'], undefined, 'a: b\n# e\n'],
    ['keeps equal comments', 'a: b # x\nc: d # x\n', ['a'], undefined, '# x\nc: d # x\n'],
    ['keeps the comments of an empty file', '--- # a\na: b # b\n...\n# c', ['a'], undefined, '# a\n# b\n# c\n'],
    ['fills an empty file', '', ['a', 'b'], 'c', 'a:\n  b: c\n'],
    ['fills a file of comments', '# a\n', ['a'], 'c', '# a\n\na: c\n'],
    ['fills an empty document', '--- ~ # a\n', ['a'], ['c'], '---\na: [c]\n# a\n'],
    ['fills an empty group', 'a: # x\n# y', ['a', 'b'], 'c', '# x\n# y\na:\n  b: c\n'],
    ['replaces a value by a group', 'a: 443 # x', ['a', 'b'], 'c', '# x\na:\n  b: c\n'],
    ['replaces a list by a value', 'a: [b] # x', ['a'], 'c', '# x\na: c\n'],
    ['replaces no value', 'a: ~ # x', ['a'], 'c', 'a: c # x\n'],
    ['changes a list in brackets', 'a: [b, "c"] # x', ['a'], ['c', 'd'], 'a: ["c", d] # x\n'],
    ['changes a map in braces', '{a: {b: c}}', ['a', 'd'], 'e', '{a: {b: c, d: e}}\n'],
    ['changes a block of text', 'a: |  # x\n  b\n  c\nd: e', ['a'], 'f', 'a: |- # x\n  f\nd: e\n'],
    ['does not fold long lines', '', ['a'], 'b '.repeat(99).trim(), `a: ${'b '.repeat(99).trim()}\n`],
    ['writes one kind of line end', 'a: # x\r\n  b: c\r\n', ['a', 'b'], 'd', 'a:\n  # x\n  b: d\n'],
    ['changes nothing for the same value', "a:   'b'", ['a'], 'b', "a:   'b'"],
    ['changes nothing for the same list', 'a:   [b]', ['a'], ['b'], 'a:   [b]'],
    ['changes nothing for a missing value', 'a:   ', ['a', 'b'], undefined, 'a:   '],
  ])('%s', (_, text, path, value, result) => expect(withValue(text, path, value)).toBe(result))

  it('writes words that YAML could treat otherwise as the reader takes them', () => {
    const words = 'null|~|| a|a: b|a #b|[a]|*a|- a|::1|fe80::|a"b|@a|%a|é|a,b|!a|443'.split('|')
    const each = words.reduce((text, word, index) => withValue(text, [`k${index}`], word), '')
    const { root, faults } = settingsTree(withValue(each, ['k'], words))
    expect(faults).toEqual([])
    const read = root.entries.flatMap(({ value }) => (value.kind === 'list' ? value.items : [value]))
    expect(read).toMatchObject([...words, ...words].map((text) => ({ kind: 'text', text })))
  })
})
