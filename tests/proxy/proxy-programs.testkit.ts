import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProxyPlan } from '@slotwire/network/proxy-config'
import { vi } from 'vitest'
import { dial } from '../../packages/edge/src/door/socket.testkit.ts'
import { freePort } from '../program/free-port.testkit.ts'
import type { DoorUnderTest } from './proxy-session.testkit.ts'
import { OPEN_PATHS, type ProxyWorld } from './proxy-world.testkit.ts'

/** All users may enter: the workers of nginx have their own user. */
const PASSABLE = 0o711

/** A running proxy, in its own folder. */
export interface ProxyProgram {
  /** All its logs and its output. */
  written(): string
  /** Makes it read its configuration and certificate again. */
  reload(): void
  close(): Promise<void>
}

/** What a proxy needs: the port of a service, and its certificate. */
export interface BehindProxy extends Pick<ProxyWorld, 'certificateFile'> {
  readonly certificates: { readonly authorityPem: string }
  /** Port of the service. */
  readonly port: number
}

/** Starts a proxy in front of a service, with exactly the configuration that is written for it. */
export async function startProxy(
  { certificateFile, certificates, port }: BehindProxy,
  write: (plan: ProxyPlan) => string,
  startProgram: (folder: string, configuration: string, port: number) => Promise<ProxyProgram>,
): Promise<DoorUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'slotwire-proxy-'))
  chmodSync(folder, PASSABLE)
  const [httpsPort, httpPort] = [await freePort(), await freePort()]
  const configuration = write({
    listen: ['127.0.0.1'],
    httpsPort,
    httpPort,
    certificateFile,
    loopbackPort: port,
    paths: OPEN_PATHS,
    accessLog: join(folder, 'access.log'),
  })
  const program = await startProgram(folder, configuration, httpsPort)
  return { httpsPort, httpPort, authority: certificates.authorityPem, ...program }
}

/**
 * Starts nginx with this unchanged configuration. The main configuration around it only moves files into `folder` that the system's own
 * keeps elsewhere.
 */
export function startNginx(program: string, folder: string, configuration: string, port: number): Promise<ProxyProgram> {
  writeFileSync(join(folder, 'slotwire.conf'), configuration)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const main = [
    'daemon off;',
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/error.log info;`,
    'worker_processes 1;',
    'events { worker_connections 512; }',
    `http { ${temporary.join(' ')} include ${folder}/slotwire.conf; }`,
  ]
  writeFileSync(join(folder, 'nginx.conf'), `${main.join('\n')}\n`)
  return start(program, ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], folder, port)
}

/** Starts Caddy with this configuration. */
export function startCaddy(program: string, folder: string, configuration: string, port: number): Promise<ProxyProgram> {
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, configuration)
  return start(program, ['run', '--config', file, '--adapter', 'caddyfile'], folder, port)
}

async function start(program: string, args: readonly string[], folder: string, port: number): Promise<ProxyProgram> {
  // Caddy keeps its files below its home folder.
  const environment = { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  const written = (): string => output + logsIn(folder)
  try {
    await vi.waitFor(() => dial(port).then((socket) => socket.destroy()), { timeout: 10_000, interval: 50 })
  } catch (error) {
    await end(child)
    throw new Error(`${program} did not start: ${written()}`, { cause: error })
  }
  return {
    written,
    reload: () => child.kill('SIGHUP'),
    close: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function logsIn(folder: string): string {
  if (!existsSync(folder)) return ''
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'))
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve()
      return
    }
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
