import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { mosquitto } from './mosquitto.testkit.ts'

const LIMIT_MS = 60_000

describeWith(['mosquitto', 'openssl'], 'a broker with TLS, certificates and passwords', (program, openssl) => {
  /** An authority, a certificate for 127.0.0.1, and one of a client. */
  function certificates(): string {
    const folder = temporaryFolder()
    const run = (...words: string[]): unknown => execFileSync(openssl, words, { cwd: folder, stdio: 'ignore' })
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    run('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority', '-days', '2')
    writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
    for (const name of ['server', 'client']) {
      run('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      const signed = ['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
      run(...signed, '-extfile', 'names', '-out', `${name}.pem`)
    }
    return folder
  }

  const status = (broker: string, options: readonly string[], environment = {}) =>
    new SlotwireProcess(['fleet', 'status', '--json', '--mqtt', broker, ...options], { environment }).ended

  it('lets in who shows its certificate, and trusts only the given authority', { timeout: LIMIT_MS }, async () => {
    const folder = certificates()
    const at = (name: string): string => join(folder, name)
    const tls = [
      `cafile ${at('ca.pem')}`,
      `certfile ${at('server.pem')}`,
      `keyfile ${at('server.key')}`,
      'require_certificate true',
    ]
    const broker = await mosquitto(program, ['user root', ...tls, 'use_identity_as_username true', 'allow_anonymous true'])
    const url = broker.url.replace('mqtt:', 'mqtts:')
    const own = ['--mqtt-cert', at('client.pem'), '--mqtt-key', at('client.key')]
    expect(await status(url, ['--mqtt-ca', at('ca.pem'), ...own])).toMatchObject({
      code: 0,
      output: '[]\n',
    })
    for (const [wrong, option] of [
      [['--mqtt-ca', at('server.key'), ...own], '--mqtt-ca'],
      [['--mqtt-cert', at('client.pem'), '--mqtt-key', at('server.key')], '--mqtt-cert and --mqtt-key'],
    ] as const)
      expect(await status(url, wrong)).toMatchObject({ code: 2, errors: expect.stringContaining(option) as string })
    const untrusted = await status(url, own)
    expect([untrusted.code, untrusted.errors]).toEqual([
      2,
      expect.stringMatching(/its certificate is of an authority .*--mqtt-ca/),
    ])
    for (const [wrong, said] of [
      [broker.url, 'whether it is mqtt:// or mqtts:// there'],
      ['mqtt://dev:secret@127.0.0.1', 'write no user or password in the address'],
    ] as const) {
      const { code, errors } = await status(wrong, [])
      expect([code, errors]).toEqual([2, expect.stringContaining(said)])
      expect(errors).not.toContain('secret')
    }
    expect(await status(broker.url, own)).toMatchObject({ code: 2, errors: expect.stringContaining('write mqtts://') as string })
  })

  it('takes a password from a file or the environment, and says what the broker refused', { timeout: LIMIT_MS }, async () => {
    const folder = temporaryFolder()
    const passwords = join(folder, 'passwords')
    execFileSync(join(program, '..', '..', 'bin', 'mosquitto_passwd'), ['-b', '-c', passwords, 'bridge', 'secret'])
    const broker = await mosquitto(program, ['user root', `password_file ${passwords}`, 'allow_anonymous false'])
    writeFileSync(join(folder, 'right'), 'secret\n')
    expect(readFileSync(passwords, 'utf8')).not.toContain('secret')
    expect(await status(broker.url, ['--mqtt-user', 'bridge', '--mqtt-password', join(folder, 'right')])).toMatchObject({
      code: 0,
    })
    expect(await status(broker.url, [], { SLOTWIRE_MQTT_USER: 'bridge', SLOTWIRE_MQTT_PASSWORD: 'secret' })).toMatchObject({
      code: 0,
    })
    const wrong = await status(broker.url, ['--mqtt-user', 'bridge'], { SLOTWIRE_MQTT_PASSWORD: 'other' })
    expect([wrong.code, wrong.errors]).toEqual([
      2,
      expect.stringMatching(/check the user and the password .*Not authorized, 0x87/),
    ])
  })
})
