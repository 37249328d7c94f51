import { describe, expect, it } from 'vitest'
import { announcedContexts } from './device-sources.ts'

function deviceAt(...doors: readonly (readonly [url: string, state: 'works' | 'needs-token' | 'untrusted'])[]) {
  const found = doors.map(([url, state]) => ({ url, state, reason: undefined, versions: undefined }))
  const services = [{ name: 'io-module', path: '/api/io/', doors: found }]
  return { machineId: undefined, hostNames: [], vendor: undefined, addresses: [], caFingerprint: undefined, services }
}

describe('announcedContexts', () => {
  const access = { token: 'secret', ca: 'PEM' }

  it('sends the token to a device over https', () => {
    const device = deviceAt(['https://press-4.local/api/io/', 'works'], ['http://press-4.local/api/io/', 'works'])
    expect(announcedContexts([device], access)).toEqual([{ url: 'https://press-4.local/', ...access }])
  })

  it('sends no token to a device that announces itself without encryption', () => {
    const device = deviceAt(['https://press-4.local/api/io/', 'untrusted'], ['http://press-4.local:81/api/io/', 'works'])
    expect(announcedContexts([device], access)).toEqual([{ url: 'http://press-4.local:81/', ca: 'PEM', token: undefined }])
  })

  it('leaves out devices that do not work without a token, or have an untrusted certificate', () => {
    const devices = [deviceAt(['http://a.local/api/io/', 'needs-token']), deviceAt(['https://b.local/api/io/', 'untrusted'])]
    expect(announcedContexts(devices, access)).toEqual([])
  })
})
