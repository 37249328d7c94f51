import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type TestHost, TestNetwork } from '../../../../packages/network/src/network.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'

vi.setConfig({ testTimeout: 120_000 })

const MAIN = join(import.meta.dirname, '../../dist/main.js')
const STATE = ['--state', '/run/state']
const PATIENCE = { timeout: 60_000, interval: 100 } as const

interface ShownDevice {
  readonly machineId: string | null
  readonly hostNames: readonly string[]
  readonly addresses: readonly string[]
  readonly caFingerprint: string | null
  readonly services: readonly {
    readonly name: string
    readonly doors: readonly {
      readonly url: string
      readonly state: string
      readonly versions: { readonly api: string } | null
    }[]
  }[]
}

const slotwire = (host: TestHost, ...words: string[]) => host.run(process.execPath, [MAIN, ...words])

async function discover(host: TestHost, ...words: string[]): Promise<readonly ShownDevice[]> {
  const { stdout } = await slotwire(host, 'discover', '--json', '--timeout', '1.5', ...words)
  return (JSON.parse(stdout) as { devices: ShownDevice[] }).devices
}

const doorsOf = ({ services }: ShownDevice) =>
  services.flatMap(({ name, doors }) => doors.map(({ url, state, versions }) => [name, url, state, versions?.api]))

describeWith(['namespaces', 'ip', 'curl'], 'slotwire discover with two devices of the same name', () => {
  it('distinguishes them, and can use the device that it trusts and has a token for', async () => {
    const press = { hostName: 'press-4' }
    const network = await TestNetwork.make([press, press, { hostName: 'laptop' }])
    onTestFinished(() => network.close())
    const [first, second, laptop] = [network.host(0), network.host(1), network.host(2)]
    const serve = [MAIN, 'serve', ...STATE, '--port', '0', '--listen', '0.0.0.0', '--http-port', '80', '--log-level', 'warn']
    for (const host of [first, second]) host.start(process.execPath, serve, { stdio: ['ignore', 'ignore', 'inherit'] })

    const machineIds = async () => new Set((await discover(laptop)).map(({ machineId }) => machineId)).size
    await expect.poll(machineIds, PATIENCE).toBe(2)
    const devices = await discover(laptop)
    expect(devices.map(({ hostNames }) => hostNames)).toEqual([['press-4-2.local'], ['press-4.local']])
    const mine = devices.find(({ addresses }) => addresses.includes(first.ipv4))
    if (mine === undefined) throw new Error('the first host is missing')
    const host = mine.hostNames[0] ?? ''
    expect(doorsOf(mine)).toEqual(
      ['bmc', 'io', 'power'].flatMap((name) => [
        [`${name}-module`, `https://${host}/api/${name}/`, 'untrusted', undefined],
        [`${name}-module`, `http://${host}/api/${name}/`, 'needs-token', undefined],
      ]),
    )

    // The fingerprint matches the one that the device itself shows.
    const shown = JSON.parse((await slotwire(first, 'cert', 'show', '--json', ...STATE)).stdout) as {
      authority: { fingerprint: string }
    }
    expect(mine.caFingerprint).toBe(shown.authority.fingerprint)

    const { token } = JSON.parse((await slotwire(first, 'token', 'create', '--name', 'x', '--json', ...STATE)).stdout) as {
      token: string
    }
    writeFileSync(laptop.path('/run/token'), `${token}\n`)
    await laptop.run('curl', ['-sSk', '-o', '/run/ca.pem', `https://${first.ipv4}/ca.pem`])
    expect(readFileSync(laptop.path('/run/ca.pem'), 'utf8')).toContain('BEGIN CERTIFICATE')
    const known = await discover(laptop, '--token-file', '/run/token', '--ca', '/run/ca.pem')
    const states = known.map((device) => [
      device.machineId === mine.machineId,
      ...doorsOf(device).map(([, , state, api]) => `${state} ${api}`),
    ])
    const notMine = Array(3).fill(['untrusted undefined', 'needs-token undefined']).flat()
    const ofMine = Array(3).fill(['works 1.0.0', 'needs-token undefined']).flat()
    expect(new Map(states.map(([isMine, ...rest]) => [isMine, rest]))).toEqual(
      new Map([
        [true, ofMine],
        [false, notMine],
      ]),
    )
  })
})
