import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { createToy, type Toy } from '../../../service/src/toy.testkit.ts'
import { listen } from './door.ts'
import type { OpenDoor } from './listener-policy.ts'
import { makeCertificate, opensslClient } from './tls.testkit.ts'

describeWith('openssl', 'TLS door seen by openssl s_client', (openssl) => {
  let toy: Toy
  let door: OpenDoor
  let folder = ''

  beforeEach(async () => {
    folder = temporaryFolder({ prefix: 'slotwire-' })
    toy = await createToy()
    door = await listen(toy.service, { host: '127.0.0.1', port: 0 }, { tls: await makeCertificate(openssl, 'first') })
  })

  afterEach(() => toy.service.close())

  const see = (options: readonly string[], input?: string) => opensslClient(openssl, door.address.port, options, input)
  const GET = 'GET /api/toy/1.0/3/level HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

  it.each([
    ['-tls1_2', /^New, TLSv1\.2, Cipher is ECDHE-ECDSA-(AES\d+-GCM|CHACHA20)/m],
    ['-tls1_3', /^New, TLSv1\.3, Cipher is TLS_/m],
  ])('serves HTTP over %s', async (version, cipher) => {
    const text = await see([version, '-ign_eof'], GET)
    expect(text).toMatch(cipher)
    expect(text).toContain('{"level":7}')
  })

  it.each(['-tls1', '-tls1_1'])('refuses %s', async (version) => {
    const text = await see([version, '-cipher', 'DEFAULT@SECLEVEL=0'])
    expect(text).toMatch(/alert protocol version/)
    expect(text).toContain('New, (NONE), Cipher is (NONE)')
  })

  it('refuses to renegotiate', async () => {
    const text = await see(['-tls1_2'], 'R\n')
    expect(text).toContain('RENEGOTIATING')
    expect(text).toMatch(/no renegotiation/)
  })

  it.each(['-tls1_2', '-tls1_3'])('resumes a session, but not after a renewal of the certificate: %s', async (version) => {
    const file = join(folder, 'session')
    const ask = (session: string) => see([version, '-ign_eof', session, file], GET)
    await ask('-sess_out')
    expect(await ask('-sess_in')).toMatch(/^Reused, /m)
    door.renewCertificate(await makeCertificate(openssl, 'second'))
    const renewed = await ask('-sess_in')
    expect(renewed).toMatch(/^New, /m)
    expect(renewed).toMatch(/subject=CN ?= ?second/)
  })
})
