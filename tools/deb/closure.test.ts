import { describe, expect, it } from 'vitest'
import { type LockEntry, runtimePackages } from './closure.mjs'
import { DebError } from './deb-error.mjs'

const lockOf = (packages: Record<string, LockEntry>) => ({
  packages: {
    'node_modules/app': { resolved: 'apps/app', link: true },
    'node_modules/@own/part': { resolved: 'packages/part', link: true },
    ...packages,
  },
})

describe('runtimePackages', () => {
  it('finds packages as Node.js does: first beside the importing package, then further up', () => {
    const lock = lockOf({
      'apps/app': { version: '1.0.0', license: 'MIT', dependencies: { '@own/part': '1.0.0', foreign: '2.0.0' } },
      'packages/part': { version: '1.0.0', license: 'MIT', dependencies: { deep: '3.0.0' } },
      'packages/part/node_modules/deep': { version: '3.0.0', license: 'ISC' },
      'node_modules/foreign': { version: '2.0.0', license: 'MIT', dependencies: { deep: '4.0.0' } },
      'node_modules/deep': { version: '4.0.0', license: 'ISC' },
      'node_modules/unwanted': { version: '1.0.0', license: 'MIT' },
    })
    expect(runtimePackages(lock, 'apps/app').map(({ name, version, to, own }) => ({ name, version, to, own }))).toEqual([
      { name: 'app', version: '1.0.0', to: 'node_modules/app', own: true },
      { name: '@own/part', version: '1.0.0', to: 'node_modules/@own/part', own: true },
      { name: 'foreign', version: '2.0.0', to: 'node_modules/foreign', own: false },
      { name: 'deep', version: '3.0.0', to: 'node_modules/@own/part/node_modules/deep', own: false },
      { name: 'deep', version: '4.0.0', to: 'node_modules/deep', own: false },
    ])
  })

  it.each([
    ['an installation script', { hasInstallScript: true }],
    ['one operating system', { os: ['linux'] }],
    ['one processor', { cpu: ['x64'] }],
  ])('refuses a package with %s', (_, entry) => {
    const lock = lockOf({ 'apps/app': { dependencies: { native: '1' } }, 'node_modules/native': entry })
    expect(() => runtimePackages(lock, 'apps/app')).toThrow(DebError)
  })

  it('refuses a package that is not in the lock file', () => {
    const lock = lockOf({ 'apps/app': { dependencies: { absent: '1' } } })
    expect(() => runtimePackages(lock, 'apps/app')).toThrow('package-lock.json has no absent, which apps/app needs')
  })
})
