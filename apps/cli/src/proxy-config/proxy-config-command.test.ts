import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type NetworkInterfaceInfo } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@slotwire/core'
import { caddyConfig, nginxConfig, type ProxyPlan } from '@slotwire/network/proxy-config'
import { CommanderError } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runCommand, testContext } from '../command.testkit.ts'
import { lockState } from '../state/state-access.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { proxyConfigCommand } from './proxy-config-command.ts'

let state: string
let written: ReturnType<typeof testContext>['written']
let ipv6: boolean
let clock: ManualClock

beforeEach(() => {
  state = temporaryFolder()
  ipv6 = true
  clock = new ManualClock()
  certify('server.pem')
})

function certify(name: string): void {
  mkdirSync(join(state, 'tls'), { recursive: true })
  writeFileSync(join(state, 'tls', name), 'key and certificates', { mode: 0o600 })
}

const settings = (text: string) => writeFileSync(join(state, 'settings.yaml'), text)

async function proxyConfig(...words: readonly string[]): Promise<string> {
  const test = testContext(state, 0)
  written = test.written
  const address = { family: ipv6 ? 'IPv6' : 'IPv4' } as NetworkInterfaceInfo
  await runCommand(proxyConfigCommand({ ...test.context, clock, interfaces: () => ({ eth0: [address] }) }), [
    ...words,
    '--state',
    state,
  ])
  return written.printed
}

const usual = (): ProxyPlan => ({
  listen: ['0.0.0.0', '::'],
  httpsPort: 443,
  httpPort: undefined,
  certificateFile: join(state, 'tls', 'server.pem'),
  loopbackPort: 8080,
  paths: { machineId: '/machine-id', tlsCa: '/ca.pem' },
  accessLog: '/var/log/nginx/slotwire.log',
})

describe('slotwire proxy-config', () => {
  it('prints only a configuration for nginx or Caddy on standard output', async () => {
    settings('proxies: [127.0.0.1]\n')
    expect(await proxyConfig('nginx')).toBe(nginxConfig(usual()))
    expect(await proxyConfig('caddy')).toBe(caddyConfig({ ...usual(), accessLog: undefined }))
    expect(written.hinted).toBe('')
  })

  it('uses the settings', async () => {
    settings(
      'doors:\n  port: 8090\n  https-port: 8443\n  http-port: 8880\npaths:\n  machine-id: /id\n  tls-ca: /trust.pem\nproxies: [127.0.0.1]\n',
    )
    const paths = { machineId: '/id', tlsCa: '/trust.pem' }
    expect(await proxyConfig('nginx')).toBe(
      nginxConfig({ ...usual(), loopbackPort: 8090, httpsPort: 8443, httpPort: 8880, paths }),
    )
  })

  it('prefers options to settings', async () => {
    settings('doors:\n  port: 0\n  https-port: 0\n  http-port: 80\nproxies: [127.0.0.1]\n')
    const typed = '--listen 192.0.2.1 --listen 2001:db8::1 --https-port 8443 --http-port off --port 8090'.split(' ')
    expect(await proxyConfig('nginx', ...typed, '--access-log', 'off')).toBe(
      nginxConfig({
        ...usual(),
        listen: ['192.0.2.1', '2001:db8::1'],
        httpsPort: 8443,
        loopbackPort: 8090,
        accessLog: undefined,
      }),
    )
  })

  it('listens on IPv6 only if the machine has it', async () => {
    ipv6 = false
    expect(await proxyConfig('nginx')).toBe(nginxConfig({ ...usual(), listen: ['0.0.0.0'] }))
  })

  it('uses the imported certificate if there is one', async () => {
    certify('imported.pem')
    expect(await proxyConfig('nginx')).toContain(`ssl_certificate "${join(state, 'tls', 'imported.pem')}";`)
  })

  it('prints what to do while the service does not trust the proxy, or uses its port', async () => {
    settings('doors:\n  listen: [0.0.0.0]\n  http-port: 80\nproxies: [192.0.2.9]\n')
    await proxyConfig('nginx')
    expect(written.hinted).toBe(
      [
        'slotwire: the service does not trust the proxy yet: slotwire config set proxies 192.0.2.9 127.0.0.1',
        'slotwire: the service itself uses port 443 and 80: slotwire config set doors.listen off, or choose another port',
        '',
      ].join('\n'),
    )
    await proxyConfig('nginx', '--https-port', '8443', '--http-port', 'off')
    expect(written.hinted).not.toContain('itself')
  })

  it('prints nothing without a certificate, and names the remedy', async () => {
    rmSync(join(state, 'tls'), { recursive: true })
    const refused = proxyConfig('nginx')
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow('slotwire config set proxies 127.0.0.1')
    expect(written.printed).toBe('')
  })

  it('waits for the certificate that a running service makes after the change of its settings', async () => {
    rmSync(join(state, 'tls'), { recursive: true })
    settings('proxies: [127.0.0.1]\n')
    const lock = lockState(state)
    const configuration = proxyConfig('nginx')
    await clock.advance(4_000)
    certify('server.pem')
    await clock.advance(100)
    expect(await configuration).toBe(nginxConfig(usual()))
    rmSync(join(state, 'tls'), { recursive: true })
    const refused = expect(proxyConfig('nginx')).rejects.toThrow('there is no certificate')
    await clock.advance(5_000)
    await refused
    lock.release()
  })

  it.each([
    ['a broken settings file', () => settings('doors:\n  https-port: many\n'), /settings\.yaml:2: doors\.https-port/],
    ['port 0 in the settings', () => settings('doors:\n  port: 0\n'), /doors\.port is 0.*--port/],
  ])('refuses %s', async (_, prepare, message) => {
    prepare()
    const refused = proxyConfig('caddy')
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow(message)
  })

  it('refuses a state folder whose name a configuration cannot contain', async () => {
    const usualState = state
    state = join(usualState, 'a"b')
    certify('server.pem')
    const refused = proxyConfig('nginx')
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow(/cannot be used in a proxy's configuration/)
    state = usualState
  })

  it.each([
    ['apache'],
    [''],
    ['nginx', 'caddy'],
    ['nginx', '--listen', 'localhost'],
    ['nginx', '--https-port', '0'],
    ['nginx', '--http-port', 'none'],
    ['nginx', '--access-log', 'slotwire.log'],
  ])('refuses %j', (...words) => expect(proxyConfig(...words)).rejects.toThrow(CommanderError))
})
