import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makePackages } from '../../../tools/deb/make-packages.mjs'
import { describeWith } from '../../../tools/setup/describe-with.mjs'
import { inRoot } from '../../../tools/setup/root.mjs'
import { temporaryFolder } from '../../temporary-folder.testkit.ts'
import { bareDebian } from '../debian/fresh-root.testkit.ts'
import { HERE } from '../debian/package.testkit.ts'

/** The part of the image's configuration that is read here. */
interface Configuration {
  readonly User: string
  readonly Volumes: Readonly<Record<string, object>>
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Healthcheck: { readonly Test: readonly string[] }
}

vi.setConfig({ testTimeout: 120_000 })

describeWith(['buildah', 'dpkgDeb', 'mmdebstrap', 'debianArchive'], 'the container image', (buildahPath) => {
  const folder = temporaryFolder({ prefix: 'slotwire-' })
  const context = join(folder, 'context')
  const options = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const buildah = (command: string, ...words: string[]) =>
    execFileSync(buildahPath, [...options, command, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  const inside = (...command: string[]) => buildah('run', '--isolation', 'chroot', container, '--', ...command)
  let configuration: Configuration
  let container: string
  let server: ChildProcess
  let loopback: URL
  let network: URL

  /** Asks the network door. */
  const ask = async (path: string, token: string, method = 'GET') => {
    const ca = inside('cat', '/var/lib/slotwire/tls/authority.pem')
    const headers = { authorization: `Basic ${Buffer.from(`token:${token}`).toString('base64')}` }
    const sent = request({ host: '127.0.0.1', port: network.port, path, method, headers, ca }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, body: await text(answer) }
  }

  beforeAll(async () => {
    mkdirSync(context)
    await makePackages({ architectures: [HERE], output: context })
    const base = buildah('from', 'scratch')
    buildah('add', '--quiet', base, bareDebian(['nodejs']), '/')
    buildah('commit', '--quiet', '--rm', base, 'base')
    const file = inRoot('packaging', 'container', 'Containerfile')
    // The format of Docker: the other one has no health check.
    const built = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', 'BASE=localhost/base', '--tag', 'slotwire']
    buildah('bud', ...built, '--file', file, context)
    configuration = (
      JSON.parse(buildah('inspect', '--type', 'image', 'localhost/slotwire')) as { Docker: { config: Configuration } }
    ).Docker.config
    container = buildah('from', 'localhost/slotwire')
    const { Entrypoint, Cmd } = configuration
    const more = ['--port', '0', '--https-port', '0', '--json', '--log-level', 'error', '--bench-from', '127.0.0.1']
    const run = ['run', '--isolation', 'chroot', container, '--', ...Entrypoint, ...Cmd, ...more]
    server = spawn(buildahPath, [...options, ...run], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    if (server.stdout === null) throw new Error('no output')
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
    const { urls, networkUrls } = JSON.parse(line) as { urls: string[]; networkUrls: string[] }
    loopback = new URL(urls[0] ?? '')
    network = new URL(networkUrls[0] ?? '')
  }, 240_000)
  afterAll(async () => {
    if (server?.pid !== undefined) {
      const ended = once(server, 'close')
      process.kill(-server.pid, 'SIGTERM')
      await ended
    }
  })

  it('runs without root, with its state in a volume', () => {
    expect(configuration).toMatchObject({
      User: 'slotwire',
      Volumes: { '/var/lib/slotwire': {} },
      ExposedPorts: { '8443/tcp': {} },
    })
    expect(inside('stat', '--format=%U', '/var/lib/slotwire/twin')).toBe('slotwire')
  })

  it('is healthy when its modules are ready', () => {
    const [kind, ...check] = configuration.Healthcheck.Test
    expect([kind, check.join(' ')]).toEqual(['CMD', expect.stringContaining('127.0.0.1:8080/slotwire/readyz')])
    const here = (port: string) => check.map((word) => word.replace('8080', port))
    inside(...here(loopback.port))
    expect(() => inside(...here('9'))).toThrow()
  })

  it('answers the network with a token, and lets the named address rig the twin', async () => {
    const token = inside('slotwire', 'token', 'create', '--name', 'test')
    expect((await ask('/api/io/1.0/5/input/values', token)).status).toBe(200)
    expect((await ask('/api/io/1.0/5/input/values', 'wrong')).status).toBe(401)
    expect((await ask('/slotwire/bench/restart', token, 'POST')).status).toBe(200)
    expect((await ask('/slotwire/bench/restart', 'wrong', 'POST')).status).toBe(401)
  })
})
