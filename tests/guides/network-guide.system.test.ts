import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Lines, type Outcome, type TestHost, TestNetwork } from '../../packages/network/src/network.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/network.md'
const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const SLOTWIRE = `slotwire() { '${process.execPath}' '${MAIN}' "$@"; }\n`
const SERVE = 'slotwire serve'
const VALUES = /^\{"pins":\[\{"pin":1,"pin_type":"voltage_millivolt","value":\d+\}/

/** The page's shell blocks for one of the two hosts, in order. */
const blocksFor = (place: string): readonly string[] =>
  blocksOf(PAGE)
    .filter(({ language }) => language === `sh ${place}`)
    .map(({ text }) => text)

describe(PAGE, () => {
  it('marks every block with the host on which it is typed', () => {
    expect(blocksFor('device')).toHaveLength(3)
    expect(blocksFor('colleague')).toHaveLength(3)
    expect(blocksOf(PAGE)).toHaveLength(6)
  })
})

describeWith(['namespaces', 'ip', 'curl', 'openssl'], `${PAGE}, between two hosts`, () => {
  const folders: string[] = []
  let network: TestNetwork
  let device: TestHost
  let laptop: TestHost
  let serverLog: Lines
  const [open = '', makeToken = '', showAuthority = ''] = blocksFor('device')
  const [discover = '', fetchAuthority = '', readPins = ''] = blocksFor('colleague')

  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'slotwire network guide '))
    folders.push(made)
    return made
  }
  let state: string
  let files: string

  const run = (host: TestHost, commands: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    host.run('bash', ['-euo', 'pipefail', '-c', `cd '${files}'\n${SLOTWIRE}${commands}`], {
      ...process.env,
      SLOTWIRE_STATE: host === device ? state : files,
      ...environment,
    })
  const outputOf = async (host: TestHost, commands: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(host, commands, environment)
    expect(code, stderr).toBe(0)
    return stdout
  }

  beforeAll(async () => {
    state = folder()
    files = folder()
    network = await TestNetwork.make([{ hostName: 'device' }, { hostName: 'laptop' }])
    device = network.host(0)
    laptop = network.host(1)
    // As a system resolver with mDNS does.
    const hosts = `cp /etc/hosts /run/hosts; echo '${device.ipv4} press-4.local' >>/run/hosts; mount --bind /run/hosts /etc/hosts`
    await outputOf(laptop, hosts)
  }, 60_000)

  afterAll(async () => {
    await network.close()
    for (const path of folders) rmSync(path, { recursive: true, force: true })
  }, 60_000)

  it('1: sets the name of the device and opens its door', async () => {
    expect(open.split('\n').at(-1)).toBe(SERVE)
    await outputOf(device, open.slice(0, -SERVE.length))
    const environment = { ...process.env, SLOTWIRE_STATE: state }
    const server = device.start(process.execPath, [MAIN, 'serve', '--json', '--port', '0'], { env: environment })
    serverLog = new Lines(server.stderr)
    const announced = new Lines(server.stdout)
    await expect.poll(() => announced.lines.length, { timeout: 60_000 }).toBe(1)
    expect(JSON.parse(announced.lines[0] ?? '')).toMatchObject({ networkUrls: ['https://press-4.local'] })
  }, 90_000)

  it('2 to 6: creates a token, discovers and trusts the device, and reads pins', async () => {
    const token = (await outputOf(device, makeToken)).trim()
    const fingerprint = /([0-9A-F]{2}:){31}[0-9A-F]{2}/
    const [shown] = fingerprint.exec(await outputOf(device, showAuthority)) ?? []

    const found = await outputOf(laptop, discover)
    expect(found).toContain('press-4')
    expect(found).toContain(device.ipv4)
    for (const name of ['io-module', 'bmc-module', 'power-module']) expect(found).toContain(name)

    const [fetched] = fingerprint.exec(await outputOf(laptop, fetchAuthority)) ?? []
    expect(fetched).toBe(shown)
    expect(await outputOf(laptop, readPins, { TOKEN: token })).toMatch(VALUES)
    // By address, as the page promises for machines that cannot resolve `.local`.
    expect(await outputOf(laptop, readPins.replace('press-4.local', device.ipv4), { TOKEN: token })).toMatch(VALUES)
    expect(serverLog.lines.join('\n')).not.toContain(token)
  }, 120_000)

  it('refuses requests without a token, and writes with a read-only token', async () => {
    const status = async (options: string): Promise<string> =>
      outputOf(laptop, `curl --silent --cacert press-4.pem --output /dev/null --write-out '%{http_code}' ${options}`)
    expect(await status('https://press-4.local/api/io/')).toBe('401')
    const reader = (await outputOf(device, 'slotwire token create --name second --read-only')).trim()
    const post = `--user token:${reader} -H 'Content-Type: application/json' -d '{"pin":1,"mode":"digital"}'`
    expect(await status(`${post} https://press-4.local/api/io/1.0/5/input/mode`)).toBe('403')
    expect((await run(laptop, `curl --silent --max-time 5 http://${device.ipv4}:8080/api/io/`)).code).not.toBe(0)
    await outputOf(device, 'slotwire token revoke second')
    expect(await status(`--user token:${reader} https://press-4.local/api/io/`)).toBe('401')
  }, 60_000)
})
