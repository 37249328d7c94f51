import { describe, expect, it } from 'vitest'
import { type LockEntry, runtimePackages } from './closure.mjs'
import { PackError } from './pack-error.mjs'

const lockOf = (packages: Record<string, LockEntry>) => ({
  packages: { 'node_modules/@own/part': { resolved: 'packages/part', link: true }, ...packages },
})
const named = (version: string, dependencies: Record<string, string> = {}): LockEntry => ({
  version,
  license: 'MIT',
  dependencies,
})

describe('runtimePackages', () => {
  it('finds packages as Node.js does: first beside the importing package, then further up', () => {
    const lock = lockOf({
      'apps/app': { dependencies: { '@own/part': '1.0.0', outer: '2.0.0' } },
      'packages/part': { dependencies: { deep: '4.0.0' } },
      'node_modules/outer': named('2.0.0', { deep: '^3.0.0' }),
      'node_modules/outer/node_modules/deep': named('3.0.0'),
      'node_modules/deep': named('4.0.0'),
      'node_modules/unwanted': named('1.0.0'),
    })
    const { dependencies, foreign } = runtimePackages(lock, 'apps/app')
    expect(dependencies).toEqual({ deep: '4.0.0', outer: '2.0.0' })
    expect(foreign).toEqual([
      { name: 'outer', version: '2.0.0', license: 'MIT', folder: 'node_modules/outer' },
      { name: 'deep', version: '4.0.0', license: 'MIT', folder: 'node_modules/deep' },
      { name: 'deep', version: '3.0.0', license: 'MIT', folder: 'node_modules/outer/node_modules/deep' },
    ])
  })

  it.each([
    ['an installation script', { hasInstallScript: true }],
    ['one operating system', { os: ['linux'] }],
    ['one processor', { cpu: ['x64'] }],
  ])('refuses a package with %s', (_, entry) => {
    const lock = lockOf({ 'apps/app': { dependencies: { native: '1' } }, 'node_modules/native': entry })
    expect(() => runtimePackages(lock, 'apps/app')).toThrow(PackError)
  })

  it('refuses two versions of one package: a bundle finds only one', () => {
    const lock = lockOf({
      'apps/app': { dependencies: { '@own/part': '1.0.0', deep: '3.0.0' } },
      'packages/part': { dependencies: { deep: '4.0.0' } },
      'packages/part/node_modules/deep': named('4.0.0'),
      'node_modules/deep': named('3.0.0'),
    })
    expect(() => runtimePackages(lock, 'apps/app')).toThrow('our packages need different versions of deep')
  })

  it('refuses a package that is not in the lock file', () => {
    const lock = lockOf({ 'apps/app': { dependencies: { absent: '1' } } })
    expect(() => runtimePackages(lock, 'apps/app')).toThrow('package-lock.json has no absent, which apps/app needs')
  })
})
