import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../program/free-port.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

/** Starts, on a busy machine, within this. */
const WITHIN = { timeout: 60_000, interval: 200 }
const KEY = 'k'.repeat(64)
const CREATED = '2026-01-01T00:00:00+00:00'

/** A user with a token, as Home Assistant stores them. */
const AUTH = {
  users: [
    {
      id: 'user',
      group_ids: ['system-admin'],
      is_owner: true,
      is_active: true,
      name: 'Test',
      system_generated: false,
      local_only: false,
    },
  ],
  groups: [{ id: 'system-admin', name: 'Administrators' }],
  credentials: [],
  refresh_tokens: [
    {
      id: 'token',
      user_id: 'user',
      client_id: null,
      client_name: 'test',
      client_icon: null,
      token_type: 'long_lived_access_token',
      created_at: CREATED,
      access_token_expiration: 315_360_000,
      token: 't'.repeat(128),
      jwt_key: KEY,
      last_used_at: null,
      last_used_ip: null,
      credential_id: null,
      version: null,
    },
  ],
}

/** The integration of MQTT, as if a user had added it. */
const entryOf = (port: number): object => ({
  entry_id: 'mqtt',
  version: 1,
  minor_version: 1,
  domain: 'mqtt',
  title: 'broker',
  data: { broker: '127.0.0.1', port, discovery: true, discovery_prefix: 'homeassistant' },
  options: {},
  pref_disable_new_entities: false,
  pref_disable_polling: false,
  source: 'user',
  unique_id: null,
  disabled_by: null,
})

export interface EntityState {
  readonly entity_id: string
  readonly state: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const coded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function accessToken(): string {
  const unsigned = `${coded({ alg: 'HS256', typ: 'JWT' })}.${coded({ iss: 'token', iat: 1_700_000_000, exp: 4_000_000_000 })}`
  return `${unsigned}.${createHmac('sha256', KEY).update(unsigned).digest('base64url')}`
}

/** A real Home Assistant of one test. */
export class HomeAssistant {
  private constructor(private readonly url: string) {}

  /** Starts it on a broker. Resolves when it runs and has subscribed. */
  static async start(program: string, brokerPort: number): Promise<HomeAssistant> {
    const folder = temporaryFolder()
    const port = await freePort()
    const stored = (key: string, data: object): void =>
      writeFileSync(join(folder, '.storage', key), JSON.stringify({ version: 1, minor_version: 1, key, data }))
    mkdirSync(join(folder, '.storage'))
    stored('auth', AUTH)
    stored('core.config_entries', { entries: [entryOf(brokerPort)] })
    writeFileSync(
      join(folder, 'configuration.yaml'),
      `http: { server_host: 127.0.0.1, server_port: ${port} }\napi:\nlogger: { default: warning }\n`,
    )
    const child = spawn(program, ['-c', folder, '--skip-pip'], { stdio: 'ignore' })
    onTestFinished(() => end(child))
    const started = new HomeAssistant(`http://127.0.0.1:${port}`)
    const state = async (): Promise<unknown> => ((await started.#ask('config')) as { state: unknown }).state
    await expect.poll(() => state().catch(() => undefined), WITHIN).toBe('RUNNING')
    return started
  }

  /** The entities that it has by MQTT, by their id without what is the same for all. */
  async entities(): Promise<ReadonlyMap<string, EntityState>> {
    const states = (await this.#ask('states')) as readonly EntityState[]
    const ours = states.filter(({ entity_id: id }) => id.includes('.slotwire_'))
    return new Map(ours.map((entity) => [entity.entity_id.replace(/\.slotwire_[0-9a-f]{8}_/, '.'), entity]))
  }

  /** Calls a service as the user interface does: `switch/turn_on`. */
  async call(service: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask(`services/${service}`, data)
  }

  async #ask(path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.url}/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${accessToken()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
