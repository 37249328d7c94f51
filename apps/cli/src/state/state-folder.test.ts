import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { lockState } from './state-access.ts'
import { defaultStateFolder, memoryPath, openStateFolder, openTwinFolder, resetState, stateFolderOf } from './state-folder.ts'

let folder: string
beforeEach(() => (folder = temporaryFolder()))

describe('the state folder of a user', () => {
  const noHome = (): never => {
    throw new UsageError('no home')
  }

  it("is the operating system's place for state", () => {
    expect(defaultStateFolder('linux', {}, () => '/home/ada')).toBe('/home/ada/.local/state/slotwire')
    expect(defaultStateFolder('linux', { XDG_STATE_HOME: '/var/ada' }, noHome)).toBe('/var/ada/slotwire')
    for (const ignored of ['', 'state', './state'])
      expect(defaultStateFolder('linux', { XDG_STATE_HOME: ignored }, () => '/home/ada')).toBe('/home/ada/.local/state/slotwire')
    expect(defaultStateFolder('darwin', {}, () => '/Users/ada')).toBe('/Users/ada/Library/Application Support/slotwire')
  })

  it('is the folder in an option or in the environment, even for a user without a home', () => {
    const context = { platform: 'linux', environment: { SLOTWIRE_STATE: '/srv/state' }, home: noHome } as const
    expect(stateFolderOf({ state: '/srv/option' }, context)).toBe('/srv/option')
    expect(stateFolderOf({}, context)).toBe('/srv/state')
    expect(() => stateFolderOf({}, { ...context, environment: { SLOTWIRE_STATE: 'memory' } })).toThrow(UsageError)
    expect(() => stateFolderOf({}, { ...context, environment: {} })).toThrow(UsageError)
    writeFileSync(join(folder, 'file'), '')
    expect(() => stateFolderOf({ state: join(folder, 'file') }, context)).toThrow('file is a file: name a folder with --state')
  })

  it('is created with its parent folders, only for its owner', () => {
    const state = join(folder, 'deep', 'down')
    openStateFolder(state)
    expect(statSync(state).mode & 0o777).toBe(0o700)
    openStateFolder(state)
  })

  it('still belongs to its owner after a start as root', () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    chownSync(folder, user, group)
    openStateFolder(folder)
    openTwinFolder(folder)
    lockState(folder)
    for (const name of ['twin', 'lock']) {
      const { uid, gid } = statSync(join(folder, name))
      expect([name, uid, gid]).toEqual([name, user, group])
    }
  })

  it.each(['/proc/slotwire/state', '/dev/null/state'])('is refused at %s, which is not writable, with a remedy', (state) => {
    expect(() => openStateFolder(state)).toThrow(UsageError)
    expect(() => openStateFolder(state)).toThrow(/cannot be written .*: choose another with --state <dir>/)
  })

  it('loses only the memory of the modules in a reset', () => {
    openTwinFolder(folder)
    writeFileSync(memoryPath(folder, 0), '{}')
    writeFileSync(`${memoryPath(folder, 7)}.next`, '{"half')
    writeFileSync(join(folder, 'other'), 'stays')
    mkdirSync(join(folder, 'twin', 'sub'))
    writeFileSync(join(folder, 'twin', 'notes.json'), '{}')
    resetState(folder)
    expect(readdirSync(join(folder, 'twin'))).toEqual(['notes.json', 'sub'])
    expect(() => statSync(memoryPath(folder, 0))).toThrow('ENOENT')
    expect(statSync(join(folder, 'other')).size).toBe(5)
  })
})
