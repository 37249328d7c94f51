import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog } from '@slotwire/core'
import { Certificates } from '@slotwire/network'
import type { DiscoverOptions, FoundDevice } from '@slotwire/network/discover'
import { CommanderError } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { runCommand, testContext } from '../command.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { discoverCommand, formatDevices } from './discover-command.ts'

const device: FoundDevice = {
  machineId: 'machine-7',
  hostNames: ['press-4.local'],
  vendor: 'Acme',
  addresses: ['10.0.0.5', 'fd77::5'],
  caFingerprint: 'AB:CD',
  services: [
    {
      name: 'io-module',
      path: '/api/io/',
      doors: [
        { url: 'https://press-4.local/api/io/', state: 'untrusted', reason: 'of an unknown authority', versions: undefined },
        { url: 'http://press-4.local/api/io/', state: 'works', reason: undefined, versions: { api: '1.0.0', service: '0.1.0' } },
      ],
    },
  ],
}
const nameless: FoundDevice = {
  ...device,
  machineId: undefined,
  vendor: undefined,
  caFingerprint: undefined,
  addresses: [],
  services: [],
}

let folder: string
let written: ReturnType<typeof testContext>['written']
let asked: DiscoverOptions[]
let devices: readonly FoundDevice[] | Error

beforeEach(() => {
  folder = temporaryFolder()
  asked = []
  devices = [device]
})

function run(...words: string[]): Promise<void> {
  const test = testContext(folder, 0)
  written = test.written
  const discover = async (options: DiscoverOptions) => {
    asked.push(options)
    if (devices instanceof Error) throw devices
    return devices
  }
  return runCommand(discoverCommand({ ...test.context, discover }), words)
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('slotwire discover', () => {
  it('listens for 3 s, and sends no token', async () => {
    await run()
    expect(asked).toMatchObject([{ timeoutMs: 3000, insecure: false, token: undefined }])
    expect([written.printed, written.exitCode]).toEqual([formatDevices([device]), 0])
  })

  it('reads a token from the command line or from a file, and passes --insecure on', async () => {
    await run('--token', 'secret', '--timeout', '0.5')
    await run('--token-file', file('token', 'secret\n'), '--insecure')
    expect(asked).toMatchObject([
      { token: 'secret', timeoutMs: 500, insecure: false },
      { token: 'secret', insecure: true },
    ])
  })

  it('prints one line of JSON with every key with --json', async () => {
    devices = [device, nameless]
    await run('--json')
    expect(written.printed.indexOf('\n')).toBe(written.printed.length - 1)
    const { devices: shown } = JSON.parse(written.printed) as { devices: Record<string, unknown>[] }
    expect(shown[0]).toMatchObject({
      machineId: 'machine-7',
      hostNames: ['press-4.local'],
      vendor: 'Acme',
      caFingerprint: 'AB:CD',
    })
    expect(shown[0]?.['services']).toEqual([
      {
        name: 'io-module',
        path: '/api/io/',
        doors: [
          { url: 'https://press-4.local/api/io/', state: 'untrusted', reason: 'of an unknown authority', versions: null },
          { url: 'http://press-4.local/api/io/', state: 'works', reason: null, versions: { api: '1.0.0', service: '0.1.0' } },
        ],
      },
    ])
    expect(shown[1]).toMatchObject({ machineId: null, vendor: null, caFingerprint: null })
  })

  it('ends with code 1 if there is no device, and prints possible reasons', async () => {
    devices = []
    await run()
    expect([written.printed, written.exitCode]).toEqual(['', 1])
    expect(written.hinted).toContain('slotwire serve --listen')
    await run('--json')
    expect([written.printed, written.exitCode]).toEqual(['{"devices":[]}\n', 1])
  })

  it.each([['--timeout', '0'], ['--timeout', '61'], ['--timeout', 'soon'], ['--token', 'a', '--token-file', 'b'], ['press-4']])(
    'refuses %s %s %s',
    async (...words) => {
      await expect(run(...words.filter((word) => word !== undefined))).rejects.toThrow(CommanderError)
      expect(asked).toEqual([])
    },
  )

  it('reports the problem with a file or with the network, and what is expected', async () => {
    await expect(run('--token-file', join(folder, 'none'))).rejects.toThrow(/cannot be read from .*none \(ENOENT\)/)
    await expect(run('--token-file', file('two', 'a b\n'))).rejects.toThrow('does not contain a token: expected one line of text')
    await expect(run('--ca', file('ca.pem', 'x'))).rejects.toThrow('does not contain a certificate: expected PEM')
    devices = Object.assign(new Error('eth0 IPv4: bind EACCES'), { name: 'MulticastUnavailable' })
    await expect(run()).rejects.toThrow(UsageError)
    await expect(run()).rejects.toThrow('cannot search any network: eth0 IPv4: bind EACCES')
  })
})

it('slotwire discover --ca trusts the authority in a file', async () => {
  const options = { folder, clock: new ManualClock(), wallTime: () => 0, log: silentLog, deviceName: 'x' }
  const certificates = await Certificates.open(options)
  await certificates.use({ hosts: ['x'], addresses: [] })
  await certificates.close()
  await run('--ca', file('authority.pem', certificates.authorityPem ?? ''))
  expect(asked[0]?.authorities).toContain('-----BEGIN CERTIFICATE-----')
})

describe('formatDevices', () => {
  const plain = { bold: String, green: String, yellow: String, red: String }

  it('prints name and identity of a device, and a line for each service at each door', () => {
    const text = formatDevices([device], plain)
    expect(text).toMatch(
      /^press-4\.local\n {2}vendor {6}Acme\n {2}machine id {2}machine-7\n {2}addresses {3}10\.0\.0\.5, fd77::5\n/,
    )
    expect(text).toContain('SHA-256 AB:CD')
    expect(text).toMatch(/io-module.*https:\/\/press-4\.local\/api\/io\/.*certificate not\n.*unknown authority\n/s)
    expect(text).toMatch(/io-module.*http:\/\/press-4\.local\/api\/io\/.*1\.0\.0.*0\.1\.0.*works/)
    expect(text).toContain('compare the fingerprints')
  })

  it('marks one machine id with two host names', () => {
    const copies = { ...device, hostNames: ['press-4.local', 'press-5.local'] }
    expect(formatDevices([copies], plain)).toContain('several host names have it')
    expect(formatDevices([device], plain)).not.toContain('several')
  })

  it('says so if no door reported an identity', () => {
    const text = formatDevices([nameless], plain)
    expect(text).toContain('machine id  unknown: no door reported it')
    expect(text).not.toContain('fingerprint')
  })
})
