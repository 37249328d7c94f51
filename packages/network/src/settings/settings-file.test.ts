import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { RecordingLog } from '../../../driver/src/rack/recording-log.testkit.ts'
import { SettingsError } from './setting.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { SettingsFile } from './settings-file.ts'

const BROKEN = 'vendor: A\ndoors:\n  https-port: 70000\nnams: []\n'

let folder: string
let log: RecordingLog

beforeEach(() => {
  folder = temporaryFolder()
  log = new RecordingLog()
})

const write = (text: string | Uint8Array, name = 'settings.yaml') => writeFileSync(join(folder, name), text)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const settingsFile = () => new SettingsFile({ folder, log })
const errors = () => log.linesOf('error').map(({ message }) => message)

describe('SettingsFile.load', () => {
  it('returns the settings of the file', () => {
    write('vendor: A\n')
    expect(settingsFile().load()).toEqual({ ...DEFAULT_SETTINGS, vendor: 'A' })
  })

  it('returns the defaults without a file, and writes nothing', () => {
    expect(settingsFile().load()).toEqual(DEFAULT_SETTINGS)
    expect(readdirSync(folder)).toEqual([])
  })

  it('returns the last good settings if the file is broken, and logs all problems', () => {
    write('vendor: Good\n')
    settingsFile().load()
    write(BROKEN)
    expect(settingsFile().load()).toMatchObject({ vendor: 'Good' })
    expect(errors()).toEqual([
      'settings.yaml:3: doors.https-port is out of range: 0…65535, not 70000',
      'settings.yaml:4: nams is unknown: did you mean names?',
      'the settings are broken: the last good settings are in force',
    ])
    expect(read('settings.yaml')).toBe(BROKEN)
  })

  it('throws all problems if the file is broken and there are no last good settings', () => {
    write(BROKEN)
    expect(() => settingsFile().load()).toThrow(SettingsError)
    expect(() => settingsFile().load()).toThrow(
      'settings.yaml:3: doors.https-port is out of range: 0…65535, not 70000\nsettings.yaml:4: nams is unknown: did you mean names?',
    )
    write('also: broken', 'settings.last-good.yaml')
    expect(() => settingsFile().load()).toThrow('settings.yaml:3')
  })

  it('returns the defaults after the file was removed, not the last good settings', () => {
    write('vendor: Good\n')
    settingsFile().load()
    rmSync(join(folder, 'settings.yaml'))
    expect(settingsFile().load()).toEqual(DEFAULT_SETTINGS)
    write(BROKEN)
    expect(() => settingsFile().load()).toThrow(SettingsError)
  })

  it('saves a copy of good settings, and does not save it again without a change', () => {
    write('vendor: Good # really\n')
    settingsFile().load()
    const { mtimeMs, mode } = statSync(join(folder, 'settings.last-good.yaml'))
    settingsFile().load()
    expect(read('settings.last-good.yaml')).toBe('vendor: Good # really\n')
    expect(statSync(join(folder, 'settings.last-good.yaml')).mtimeMs).toBe(mtimeMs)
    expect(mode & 0o777).toBe(0o644)
  })

  it('returns good settings even if the copy cannot be saved', () => {
    write('vendor: A\n')
    mkdirSync(join(folder, 'settings.last-good.yaml'))
    expect(settingsFile().load()).toMatchObject({ vendor: 'A' })
    expect(log.linesOf('warn')).toHaveLength(1)
  })

  it.each([
    [
      'is a folder',
      () => mkdirSync(join(folder, 'settings.yaml')),
      'settings.yaml: is not a file: remove it, or put a file there',
    ],
    ['is huge', () => write(`#${'é'.repeat(20_000)}`), 'settings.yaml: is too large: at most 32768 bytes'],
    [
      'is not UTF-8',
      () => write(Buffer.from('vendor: A\nnames: [\xe9]\n', 'latin1')),
      'settings.yaml:2: is not UTF-8: save the file in this encoding',
    ],
  ])('throws when the file %s', (_, make, problem) => {
    make()
    expect(() => settingsFile().load()).toThrow(problem)
  })
})

describe('SettingsFile.reload', () => {
  it('returns the changed keys and those that wait for the next start', () => {
    write('vendor: A\ndoors: {port: 8081}\n')
    const file = settingsFile()
    file.load()
    write('vendor: B\ndoors: {port: 8082, listen: [10.0.0.1]}\n')
    const { settings, ...rest } = file.reload()
    expect(settings).toMatchObject({ vendor: 'B', loopbackPort: 8081, listen: ['10.0.0.1'] })
    expect(rest).toEqual({ problems: [], changed: ['vendor', 'doors.listen'], waiting: ['doors.port'] })
    expect(file.reload()).toMatchObject({ changed: [], waiting: ['doors.port'] })
    expect(settingsFile().load()).toMatchObject({ loopbackPort: 8082 })
  })

  it('keeps the settings while the file is broken, and applies the file after it was fixed', () => {
    write('vendor: A\n')
    const file = settingsFile()
    file.load()
    write(BROKEN)
    const { settings, problems, changed } = file.reload()
    expect({ vendor: settings.vendor, changed, keys: problems.map(({ line, key }) => `${line} ${key}`) }).toEqual({
      vendor: 'A',
      changed: [],
      keys: ['3 doors.https-port', '4 nams'],
    })
    expect(errors().at(-1)).toBe('the settings are broken: nothing has changed')
    write('vendor: B\n')
    expect(file.reload()).toMatchObject({ settings: { vendor: 'B' }, changed: ['vendor'] })
  })

  it('returns the defaults after the file was removed', () => {
    write('vendor: A\n')
    const file = settingsFile()
    file.load()
    rmSync(join(folder, 'settings.yaml'))
    expect(file.reload()).toMatchObject({ settings: DEFAULT_SETTINGS, changed: ['vendor'] })
    expect(readdirSync(folder)).toEqual([])
  })
})
