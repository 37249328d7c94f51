import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deviceNames } from './cert-names.ts'

let state: string
beforeEach(() => (state = mkdtempSync(join(tmpdir(), 'slotwire cert device '))))
afterEach(() => rmSync(state, { recursive: true, force: true }))

describe('deviceNames', () => {
  it('returns the system’s names without settings, and with a broken settings file', () => {
    const own = { hostName: hostname(), listen: [], names: [], interfaces: networkInterfaces() }
    expect(deviceNames(state)).toEqual(own)
    writeFileSync(join(state, 'settings.yaml'), 'names: [press.example.com\n')
    expect(deviceNames(state)).toEqual(own)
  })

  it('uses the settings, and all addresses if there is a proxy', () => {
    writeFileSync(join(state, 'settings.yaml'), 'names: [press.example.com]\ndoors: {listen: [192.168.1.7]}\nhost-name: line-3\n')
    expect(deviceNames(state)).toMatchObject({
      hostName: 'line-3',
      listen: ['192.168.1.7'],
      names: ['press.example.com'],
    })
    writeFileSync(join(state, 'settings.yaml'), 'proxies: [127.0.0.1]\n')
    expect(deviceNames(state)).toMatchObject({ listen: ['::'] })
  })
})
