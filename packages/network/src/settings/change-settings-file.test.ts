import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ManualClock, SystemClock } from '@slotwire/core'
import { identityOf } from '@slotwire/storage'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { OperatorError } from '../operator-error.ts'
import { changeSettingsFile } from './change-settings.ts'
import { SettingsError } from './setting.ts'
import { readSettingsFile } from './settings-file.ts'

let folder: string
const path = () => join(folder, 'settings.yaml')

beforeEach(() => (folder = temporaryFolder()))

const set = (key: string, ...words: readonly string[]) => changeSettingsFile(folder, new SystemClock(), [{ key, words }])

describe('changeSettingsFile', () => {
  it('writes a file that all users can read, and returns the changed keys', async () => {
    expect(await set('doors.https-port', '8443')).toMatchObject({
      written: true,
      changed: ['doors.https-port'],
    })
    expect(readFileSync(path(), 'utf8')).toBe('doors:\n  https-port: 8443\n')
    expect(statSync(path()).mode & 0o777).toBe(0o644)
    expect(readdirSync(folder)).toEqual(['settings.yaml'])
  })

  it('creates the state folder for its owner only', async () => {
    folder = join(folder, 'new', 'state')
    await set('vendor', 'A')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    folder = join(folder, '..', '..')
  })

  it('writes nothing if the file has the value already', async () => {
    writeFileSync(path(), "vendor: 'A'\n")
    const { mtimeNs } = statSync(path(), { bigint: true })
    expect(await set('names', 'default')).toMatchObject({ written: false, changed: [] })
    expect(statSync(path(), { bigint: true }).mtimeNs).toBe(mtimeNs)
  })

  it('writes a default value explicitly', async () =>
    expect(await set('vendor', 'Slotwire')).toMatchObject({ written: true, changed: [] }))

  it('keeps the file if the change is refused', async () => {
    writeFileSync(path(), 'vendor: A\n')
    await expect(set('doors.https-port', '70000')).rejects.toThrow(SettingsError)
    expect(readFileSync(path(), 'utf8')).toBe('vendor: A\n')
    expect(readdirSync(folder)).toEqual(['settings.yaml'])
  })

  it('waits for another process, but not forever', async () => {
    const clock = new ManualClock()
    writeFileSync(`${path()}.lock`, JSON.stringify(identityOf(process.ppid)))
    const refused = expect(changeSettingsFile(folder, clock, [{ key: 'vendor', words: ['A'] }])).rejects.toThrow(OperatorError)
    await clock.advance(10_010)
    await refused
    expect(existsSync(path())).toBe(false)
  })

  it('gives the file to the owner of the folder when root writes it', async () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    chownSync(folder, user, group)
    await set('vendor', 'A')
    expect([statSync(path()).uid, statSync(path()).gid]).toEqual([user, group])
  })

  it('throws for an unreadable file instead of treating it as empty', async () => {
    mkdirSync(path())
    await expect(set('vendor', 'A')).rejects.toThrow('settings.yaml: is not a file')
    rmSync(path(), { recursive: true })
    writeFileSync(path(), '\xff', 'latin1')
    await expect(set('vendor', 'A')).rejects.toThrow('settings.yaml:1: is not UTF-8')
    expect(readFileSync(path(), 'latin1')).toBe('\xff')
    rmSync(path())
    symlinkSync('nowhere', path())
    await expect(set('vendor', 'A')).rejects.toThrow('settings.yaml: is a link that leads nowhere: put its file there')
    expect(readSettingsFile(folder, 'settings.yaml')).toMatchObject({ text: undefined, wellFormed: false })
  })

  it('keeps all of many concurrent changes', async () => {
    const ports = ['port', 'https-port', 'http-port'].map((key, index) => set(`doors.${key}`, String(9000 + index)))
    const paths = ['machine-id', 'tls-ca'].map((key) => set(`paths.${key}`, `/${key}`))
    await Promise.all([...ports, set('vendor', 'A'), set('names', 'a'), ...paths, set('events.streams', '9')])
    const text = readFileSync(path(), 'utf8')
    for (const line of [
      'port: 9000',
      'https-port: 9001',
      'http-port: 9002',
      'vendor: A',
      'names: [a]',
      'machine-id:',
      'tls-ca:',
      'streams:',
    ])
      expect(text).toContain(line)
  })
})
