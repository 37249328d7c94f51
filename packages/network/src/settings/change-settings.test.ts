import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { changeSettings } from './change-settings.ts'
import { parseSettings } from './parse-settings.ts'
import { SettingsError } from './setting.ts'
import { SETTINGS } from './settings.ts'
import { commentsOf, SETTABLE, SOURCE, settingsText } from './settings-text.testkit.ts'

const FILE = 'vendor: A # the vendor\nevents:\n  streams: 64\n'
const set = (text: string, key: string, ...words: readonly string[]) => changeSettings(text, [{ key, words }], SOURCE).text

/** Messages of all problems. */
function refused(text: string, key: string, ...words: readonly string[]): readonly string[] {
  try {
    set(text, key, ...words)
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n')
    throw error
  }
  throw new Error('was not refused')
}

describe('changeSettings', () => {
  it('changes the value in the text and in the settings', () => {
    const { text, before, after } = changeSettings(FILE, [{ key: 'vendor', words: ['B'] }], SOURCE)
    expect(text).toBe(FILE.replace('A ', 'B '))
    expect([before.settings.vendor, after.settings.vendor]).toEqual(['A', 'B'])
  })

  it('sets a list or a setting in a group', () => {
    expect(set('', 'names', 'a', '10.1.2.3')).toBe('names: [a, 10.1.2.3]\n')
    expect(set('', 'doors.http-port', '80')).toBe('doors:\n  http-port: 80\n')
    expect(set('', 'doors.loopback-ports', '8001', '8002')).toBe('doors:\n  loopback-ports: [8001, 8002]\n')
  })

  it('takes the name of the option', () => expect(set('', 'port', '1')).toBe('doors:\n  port: 1\n'))

  it('removes a setting for its default', () => {
    expect(set(FILE, 'vendor', 'default')).toBe(FILE.replace('vendor: A ', ''))
    expect(set(FILE, 'events.streams', 'default')).toBe('vendor: A # the vendor\n')
    expect(set('names: [a]\n', 'names', 'default')).toBe('')
  })

  it('sets off where the setting supports it', () => {
    expect(set('', 'doors.http-port', 'off')).toBe('doors:\n  http-port: off\n')
    expect(set('', 'discovery', 'off')).toBe('discovery: off\n')
    expect(set('doors:\n  listen: [0.0.0.0]\n', 'doors.listen', 'off')).toBe('')
  })

  it('checks several changes together', () => {
    const changes = [
      { key: 'paths.machine-id', words: ['/ca.pem'] },
      { key: 'paths.tls-ca', words: ['/machine-id'] },
    ]
    expect(changeSettings('', changes, SOURCE).text).toBe('paths:\n  machine-id: /ca.pem\n  tls-ca: /machine-id\n')
    expect(refused('', 'paths.machine-id', '/ca.pem')).toEqual([
      'settings.yaml: paths.machine-id: /ca.pem is paths.tls-ca too: choose another for one of them',
    ])
  })

  it('can fix an invalid setting in the file', () => {
    expect(set('doors:\n  https-port: 70000\n', 'doors.https-port', '8443')).toBe('doors:\n  https-port: 8443\n')
    expect(set('doors: 70000\n', 'doors.https-port', '8443')).toBe('doors:\n  https-port: 8443\n')
  })
})

describe('changeSettings with an invalid change', () => {
  it.each([
    ['hostname', ['a'], 'hostname is unknown: did you mean host-name?'],
    ['doors.loopback-ports', ['8001', '0'], 'doors.loopback-ports[1] is out of range: 1…65535, not 0'],
    ['doors', ['443'], 'doors is unknown: did you mean doors.port?'],
    ['vendor', [], 'vendor needs a value; default removes it'],
    ['pins', ['{ 3/1: { name: lamp'], 'pins is a map: write "3/1": { name: … } below it'],
    ['vendor', ['My', 'Company'], 'vendor takes one value: put it in quotes'],
    ['vendor', [''], 'vendor is not allowed: visible text in one line, 1…248 bytes, not ""'],
    ['vendor', ['a\nnames: [b]'], 'vendor is not allowed: visible text in one line, 1…248 bytes, not "a\\nnames: [b]"'],
    ['names', [''], 'names[0] is not allowed: a host name, as in press-4.example.com, or an IP address of one host, not ""'],
    ['doors.https-port', ['off'], 'doors.https-port must be an integer, not "off": 0…65535'],
  ] as const)('refuses %s %j', (key, words, message) =>
    expect(refused(FILE, key, ...words)).toEqual([`settings.yaml: ${message}`]),
  )

  it('reports all other problems of the file with their lines', () =>
    expect(refused('# a\nnams: []\nvendor: ""\n', 'doors.https-port', '70000')).toEqual([
      'settings.yaml:2: nams is unknown: did you mean names?',
      'settings.yaml:3: vendor is not allowed: visible text in one line, 1…248 bytes, not ""',
      'settings.yaml: doors.https-port is out of range: 0…65535, not 70000',
    ]))

  it('refuses every change if the file is not YAML', () =>
    expect(refused('vendor: "A\n', 'vendor', 'B')).toEqual([
      'settings.yaml:1: a quote is not closed: write it at both ends of the value',
    ]))
})

describe('changeSettings with any valid changes of any file', { timeout: 30_000 }, () => {
  const anySetting = fc.constantFrom(...Object.keys(SETTABLE)).chain((key) =>
    fc.record({
      key: fc.constant(key),
      words: fc.oneof({ weight: 3, arbitrary: SETTABLE[key] ?? fc.constant([]) }, fc.constant(['default'])),
    }),
  )
  const anyChanges = fc.uniqueArray(anySetting, { minLength: 1, maxLength: 4, selector: ({ key }) => key })

  it('stores the values and keeps comments and other settings', () =>
    fc.assert(
      fc.property(settingsText, anyChanges, (text, changes) => {
        let changed: ReturnType<typeof changeSettings>
        try {
          changed = changeSettings(text, changes, SOURCE)
        } catch (error) {
          // A valid value may contradict another setting.
          expect(String(error)).toMatch(/^SettingsError: settings.yaml: .*: choose another for one of them$/)
          fc.pre(false)
          return
        }
        const keys = changes.map(({ key }) => key)
        const alone = changeSettings('', changes, SOURCE).after.settings
        const again = parseSettings(changed.text, SOURCE).settings
        for (const { key, name, plain } of SETTINGS)
          expect(plain(again[name])).toEqual(plain((keys.includes(key) ? alone : changed.before.settings)[name]))
        expect(commentsOf(changed.text)).toEqual(commentsOf(text))
      }),
      { numRuns: cases(50) },
    ))
})
