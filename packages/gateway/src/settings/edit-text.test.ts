import { describe, expect, it } from 'vitest'
import { withValue } from './edit-text.ts'

const FILE = `# Press 4

# as on the label
host-name: press-4   # do not change
names:
  # the old one
  - press-4.example.com
  - 10.1.2.3   # until June
doors:
  https-port: 443
# the end
`

describe('withValue for a single value', () => {
  it('keeps everything around the value', () => {
    expect(withValue(FILE, ['host-name'], 'press-5')).toBe(FILE.replace('host-name: press-4 ', 'host-name: press-5 '))
    expect(withValue(FILE, ['doors', 'https-port'], '8443')).toBe(FILE.replace('443', '8443'))
  })

  it.each([
    ['vendor: A', 'vendor: B\n'],
    ['vendor: "A"  # a', 'vendor: B  # a\n'],
    ['vendor:', 'vendor: B\n'],
    ['vendor:   # a', 'vendor: B   # a\n'],
    ['vendor: ~', 'vendor: B\n'],
    ['"vendor": \'A\'\n', '"vendor": B\n'],
    ['vendor: |  # a\n  A\n  A\nnames: []', '# a\nvendor: B\nnames: []\n'],
    ['vendor:\n  A\n  A\nnames: []', 'vendor:\n  B\nnames: []\n'],
    ['vendor: [A] # a', 'vendor: B # a\n'],
  ])('turns %j into %j', (text, changed) => {
    expect(withValue(text, ['vendor'], 'B')).toBe(changed)
  })

  it.each(['A B', '/a', 'http://a:80', '2001:db8::1', 'x-1', '443'])('writes %s without quotes', (word) => {
    expect(withValue('', ['vendor'], word)).toBe(`vendor: ${word}\n`)
  })

  it.each([
    'null',
    '',
    ' a',
    'a: b',
    'a #b',
    '[a]',
    '*a',
    '- a',
    '::1',
    'fe80::',
    'a"b',
    'a\\b',
    '@a',
    '%a',
    'é',
    'a,b',
    '~',
    '!a',
    'a:',
  ])('writes %j in quotes', (word) => {
    expect(withValue('', ['vendor'], word)).toBe(`vendor: ${JSON.stringify(word)}\n`)
  })
})

describe('withValue for a list', () => {
  it('keeps comments with their entries in any order', () => {
    expect(withValue(FILE, ['names'], ['10.1.2.3', 'new.example.com', 'press-4.example.com'])).toBe(
      FILE.replace(
        '  # the old one\n  - press-4.example.com\n  - 10.1.2.3   # until June\n',
        '  - 10.1.2.3   # until June\n  - new.example.com\n  # the old one\n  - press-4.example.com\n',
      ),
    )
  })

  it('keeps comments of removed entries', () => {
    expect(withValue(FILE, ['names'], ['a'])).toBe(
      FILE.replace(
        '  # the old one\n  - press-4.example.com\n  - 10.1.2.3   # until June\n',
        '  - a\n  # the old one\n  # until June\n',
      ),
    )
  })

  it.each([
    ['names: [a, "b"] # c', 'names: [x, "::1"] # c\n'],
    ['names: [ # one\n  a, # two\n]', '# one\n# two\nnames: [x, "::1"]\n'],
    ['names: []', 'names: [x, "::1"]\n'],
    ['names:', 'names: [x, "::1"]\n'],
    ['names: a', 'names: [x, "::1"]\n'],
    ['names:\n- a', 'names:\n- x\n- "::1"\n'],
  ])('turns %j into %j', (text, changed) => {
    expect(withValue(text, ['names'], ['x', '::1'])).toBe(changed)
  })
})

describe('withValue for a new setting', () => {
  it('inserts it after the last one of its group or file', () => {
    expect(withValue(FILE, ['doors', 'http-port'], '80')).toBe(FILE.replace('443\n', '443\n  http-port: 80\n'))
    expect(withValue(FILE, ['vendor'], 'A')).toBe(FILE.replace('443\n', '443\nvendor: A\n'))
    expect(withValue(FILE, ['services', 'io'], 'http://a')).toBe(FILE.replace('443\n', '443\nservices:\n  io: http://a\n'))
  })

  it.each([
    ['', 'doors:\n  http-port: 80\n'],
    ['# nothing yet', '# nothing yet\ndoors:\n  http-port: 80\n'],
    ['---\n', '---\ndoors:\n  http-port: 80\n'],
    ['doors: # a\n# b', 'doors: # a\n  http-port: 80\n# b\n'],
    ['doors:\n #  b\n', 'doors:\n  http-port: 80\n #  b\n'],
    ['doors: {}', 'doors:\n  http-port: 80\n'],
    ['doors: 443 # a', 'doors:\n  http-port: 80 # a\n'],
    ['doors: { https-port: 443, listen: ["::"] } # a\n', 'doors:\n  https-port: 443\n  listen: ["::"] # a\n  http-port: 80\n'],
    ['doors:\n    https-port: 443\n', 'doors:\n    https-port: 443\n    http-port: 80\n'],
    ['doors:\r\n  https-port: 443\r\n', 'doors:\r\n  https-port: 443\r\n  http-port: 80\r\n'],
    ['{"vendor": "A",\n "doors": {"https-port": "443"}}', 'vendor: A\ndoors:\n  https-port: 443\n  http-port: 80\n'],
    ['{}', '\ndoors:\n  http-port: 80\n'],
  ])('turns %j into %j', (text, changed) => {
    expect(withValue(text, ['doors', 'http-port'], '80')).toBe(changed)
  })
})

describe('withValue for a removed setting', () => {
  it('removes its line and keeps comments', () => {
    expect(withValue(FILE, ['host-name'], undefined)).toBe(
      FILE.replace('host-name: press-4   # do not change', '# do not change'),
    )
    expect(withValue(FILE, ['names'], undefined)).toBe(FILE.replace(/names:[^]*June\n/, '# the old one\n# until June\n'))
  })

  it('removes a group that becomes empty and has no comments', () => {
    expect(withValue(FILE, ['doors', 'https-port'], undefined)).toBe(FILE.replace('doors:\n  https-port: 443\n', ''))
    const text = 'doors:\n  # our proxy has 443\n  https-port: 8443\n'
    expect(withValue(text, ['doors', 'https-port'], undefined)).toBe('doors:\n  # our proxy has 443\n')
  })

  it('changes nothing if the setting does not exist', () => {
    for (const path of [['vendor'], ['doors', 'http-port'], ['services', 'io']] as const)
      expect(withValue(FILE, path, undefined)).toBe(FILE)
    expect(withValue('doors:\n', ['doors', 'http-port'], undefined)).toBe('doors:\n')
  })
})
