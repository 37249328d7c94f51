import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PackError } from '../pack/pack-error.mjs'
import { inRoot } from '../setup/root.mjs'
import { readOptions } from './options.mjs'

describe('npm run deb', () => {
  it('makes packages for both architectures below dist, or as the options say', () => {
    expect(readOptions([])).toEqual({ architectures: ['amd64', 'arm64'], output: inRoot('dist', 'deb') })
    expect(readOptions(['--arch', 'arm64', '--output', '/tmp/here'])).toEqual({ architectures: ['arm64'], output: '/tmp/here' })
  })

  it.each([
    [['--arch', 'sparc'], '--arch must be one of amd64, arm64'],
    [['--arhc', 'amd64'], "Unknown option '--arhc'"],
    [['amd64'], 'Unexpected argument'],
  ])('refuses %j', (words, reason) => {
    expect(() => readOptions(words)).toThrow(PackError)
    expect(() => readOptions(words)).toThrow(reason)
  })

  it('prints a user error in one line before it installs or builds', () => {
    const { status, stderr } = spawnSync(process.execPath, [inRoot('tools', 'deb.mjs'), '--arch', 'sparc'], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'npm run deb: --arch must be one of amd64, arm64\n' })
  })

  it('prints how to install a missing dpkg-deb', () => {
    const script = `import(${JSON.stringify(inRoot('tools', 'deb', 'make-packages.mjs'))}).then((it) => it.makePackages({ architectures: [], output: '/nowhere' }))`
    const { stderr } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8', env: { PATH: '/nowhere' } })
    expect(stderr).toContain('dpkg-deb is missing: install the package dpkg (apt-get install dpkg')
  })
})
