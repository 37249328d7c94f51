import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Lines, type Outcome, type TestHost, TestNetwork } from '../../packages/network/src/network.testkit.ts'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/proxies.md'
const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const SLOTWIRE = `slotwire() { '${process.execPath}' '${MAIN}' "$@"; }\n`
const VALUES = /^\{"pins":\[\{"pin":1,"pin_type":"voltage_millivolt","value":\d+\}/
/** There is no systemd in the hosts of a test. */
const RELOAD = ' && systemctl reload nginx'

/** The page's one shell block of this kind. */
function blockFor(kind: string): string {
  const found = blocksOf(PAGE).filter(({ language }) => language === `sh ${kind}`)
  if (found.length !== 1) throw new Error(`${PAGE} has ${found.length} blocks for ${kind}`)
  return found[0]?.text ?? ''
}

it(`${PAGE}: every block is tried here`, () =>
  expect(
    blocksOf(PAGE)
      .map(({ language }) => language)
      .sort(),
  ).toEqual(['sh caddy', 'sh colleague', 'sh device', 'sh nginx', 'sh original']))

describeWith(['namespaces', 'ip', 'curl', 'nginx', 'caddy'], PAGE, (_namespaces, _ip, _curl, nginx, caddy) => {
  let network: TestNetwork
  let device: TestHost
  let laptop: TestHost
  const folder = temporaryFolder()

  const run = (host: TestHost, commands: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    host.run('bash', ['-euo', 'pipefail', '-c', `cd '${folder}'\n${SLOTWIRE}${commands}`], {
      ...process.env,
      SLOTWIRE_STATE: join(folder, 'state'),
      ...environment,
    })
  const told = async (host: TestHost, commands: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { code, stdout, stderr } = await run(host, commands, environment)
    expect(code, stderr).toBe(0)
    return stdout
  }
  /** Starts a command that serves; resolves when it does. */
  const serve = async (...args: readonly string[]): Promise<void> => {
    const environment = { ...process.env, SLOTWIRE_STATE: join(folder, 'state') }
    const server = device.start(process.execPath, [MAIN, ...args, '--json', '--log-level', 'error'], {
      env: environment,
      cwd: folder,
    })
    const announced = new Lines(server.stdout)
    await expect.poll(() => announced.lines.length, { timeout: 60_000 }).toBe(1)
  }
  const askAsColleague = async (token: string): Promise<void> => {
    await expect
      .poll(() => run(laptop, blockFor('colleague'), { TOKEN: token }).then(({ stdout }) => stdout), {
        timeout: 20_000,
        interval: 500,
      })
      .toMatch(VALUES)
  }

  beforeAll(async () => {
    network = await TestNetwork.make([{ hostName: 'device' }, { hostName: 'laptop' }])
    device = network.host(0)
    laptop = network.host(1)
    await told(
      laptop,
      `cp /etc/hosts /run/hosts; echo '${device.ipv4} press-4.local' >>/run/hosts; mount --bind /run/hosts /etc/hosts`,
    )
    const own = ['/etc/nginx/conf.d', '/etc/nginx/sites-enabled', '/var/log/nginx', '/var/lib/nginx']
    await told(device, `mkdir -p /etc/caddy; for place in ${own.join(' ')} /etc/caddy; do mount -t tmpfs none $place; done`)
    await told(device, 'slotwire config set host-name press-4')
  }, 90_000)

  afterAll(async () => {
    await network.close()
  }, 60_000)

  it('nginx, and then Caddy, let the colleague in with a token', async () => {
    await told(device, blockFor('original'))
    await serve('serve')
    expect(await told(device, "curl --silent --fail --header 'Host: io' http://127.0.0.1:8002/api/bmc/")).toMatch(/^\{/)
    const token = (await told(device, 'slotwire token create --name colleague')).trim()
    await told(device, blockFor('device'))
    await told(device, blockFor('nginx').replace(RELOAD, ''))
    const server = device.start(nginx, ['-g', 'daemon off;'], {})
    await told(device, 'cp state/tls/authority.pem press-4.pem')
    await askAsColleague(token)
    expect(await told(device, 'cat /var/log/nginx/slotwire.log')).toContain('"colleague"')
    server.kill('SIGTERM')
    await expect.poll(() => server.exitCode).not.toBeNull()

    await told(device, blockFor('caddy'))
    device.start(caddy, ['run', '--config', '/etc/caddy/Caddyfile'], { env: { ...process.env, HOME: folder } })
    await askAsColleague(token)
  }, 120_000)
})
