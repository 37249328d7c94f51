import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { FailedLogins, listen, networkAccess } from '@slotwire/edge'
import { auditWrites, FileAuditLog } from '@slotwire/network'
import { VolatileMemory } from '@slotwire/twin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask } from '../../packages/edge/src/access/access.testkit.ts'
import { tokenOptions, tokenStore } from '../../packages/network/src/tokens/token-store.testkit.ts'
import { asked, LEASES, leaseHeader } from './lease.testkit.ts'

const CHECKED_WITHIN_MS = 200
const MODE = ['/api/io/1.0/5/input/mode', { pin: 1, mode: 'digital' }] as const
const contracts = [] as const
type Place = Readonly<{ slot: number; service: string }>

/** The default twin behind a network door with tokens and an audit log, on a manual clock. */
async function device() {
  const { folder, clock, wallTime: startedAt, log, store } = tokenStore()
  let setMs = 0
  const wallTime = () => startedAt() + setMs
  const setDate = (date: string) => {
    setMs += Date.parse(date) - wallTime()
  }
  const audit = new FileAuditLog({ folder, wallTime, log, clock })
  const chassis = defaultChassis({ clock, random: seededRandom(2), memory: () => new VolatileMemory() })
  const until = async <Result>(work: Promise<Result>): Promise<Result> => {
    await clock.advance(3000)
    return work
  }
  await until(chassis.powerOn())
  const onWrite = auditWrites(audit)
  const made = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2), log, wallTime, onWrite })
  await until(made.start())
  const resources = { paths: () => ({ machineId: '/machine-id', tlsCa: '/ca.pem' }), machineId: () => '', tlsCa: () => '' }
  const failures = new FailedLogins({ clock, log })
  const none = () => []
  const checkAccess = networkAccess({ tokens: store, failures, resources, proxies: none, corsOrigins: none, contracts, onWrite })
  const door = await listen(made.service, { host: '127.0.0.1', port: 0 }, { checkAccess })
  onTestFinished(async () => {
    const closing = made.close()
    await clock.advance(10_000)
    await closing
    chassis.powerOff()
    store.close()
    audit.close()
  })
  /** A client with a token. */
  const client = async (name: string, more: Parameters<typeof tokenOptions>[1] = {}) => {
    const { text } = await store.create(tokenOptions(name, more))
    const send = async (method: string, path: string, body?: object, headers: object = {}) => {
      const question = { method, path, headers: { authorization: `Bearer ${text}`, ...headers } }
      const answer = await ask(door.address.port, body === undefined ? question : { ...question, body: JSON.stringify(body) })
      const parsed = JSON.parse(answer.body) as Readonly<Record<string, unknown>>
      return { status: answer.status, error: answer.headers['slotwire-error'], body: parsed, message: String(parsed['message']) }
    }
    const lease = async (fields: object = {}) => (await send('POST', LEASES, { ...asked, ...fields })).body
    const slots = async () => {
      const { leases } = (await send('GET', LEASES)).body as { leases: { slots: readonly number[]; token: string }[] }
      return leases.map((one) => `${one.token}: ${one.slots.join(' ')}`)
    }
    /** The modules in the records of leases that the client may read, `5 io`. */
    const recorded = async () => {
      const { messages } = (await send('GET', '/slotwire/events?after=1-0&kinds=lease&wait=0s')).body as {
        messages: { modules: Place[] }[]
      }
      return messages.map(({ modules }) => modules.map(({ slot, service }) => `${slot} ${service}`).join(', '))
    }
    return { send, lease, slots, recorded }
  }
  const auditText = () => readFileSync(join(folder, 'audit', 'writes.jsonl'), 'utf8')
  const records = () => made.journal.records()
  const journal = () => records().filter(({ kind }) => kind === 'lease')
  /** Something else is where the file of the tokens was. The returned function puts the file back. */
  const hideTokens = () => {
    const path = join(folder, 'tokens.json')
    renameSync(path, `${path}.away`)
    mkdirSync(path)
    return () => {
      rmdirSync(path)
      renameSync(`${path}.away`, path)
    }
  }
  return { clock, log, store, client, auditText, records, journal, setDate, hideTokens }
}

describe('a lease of a token', () => {
  it('is granted for its services alone, seen by tokens of these services, and refused to a read-only token', async () => {
    const { client } = await device()
    const [all, io, power] = [
      await client('all'),
      await client('io', { services: ['io'] }),
      await client('power', { services: ['power'] }),
    ]
    const wall = await client('wall', { readOnly: true })
    expect(await io.send('POST', LEASES, { ...asked, slots: [5, 0] })).toMatchObject({
      status: 403,
      error: 'lease-slot-not-granted',
    })
    expect(await wall.send('POST', LEASES, asked)).toMatchObject({ status: 403, error: 'read-only' })
    const { number, secret } = await all.lease({ slots: [5, 1] })
    for (const method of ['PUT', 'DELETE']) {
      const headers = leaseHeader(secret)
      expect(await wall.send(method, `${LEASES}/${String(number)}`, undefined, headers)).toMatchObject({ status: 403 })
    }
    expect([await all.slots(), await io.slots(), await power.slots(), await wall.slots()]).toEqual([
      ['all: 5 1'],
      ['all: 5'],
      ['all: 1'],
      ['all: 5 1'],
    ])
    expect([await all.recorded(), await io.recorded(), await power.recorded()]).toEqual([
      ['5 io, 1 power'],
      ['5 io'],
      ['1 power'],
    ])
    expect((await io.send('POST', ...MODE)).message).toContain('leased to "line 3" (token all) for 10 s')
    // The write would end the work in slot 5. This token may not learn of it.
    const limits = { limit_3v3: 5000, limit_5v0: 4000, limit_12v: 2000 }
    await all.send('DELETE', `${LEASES}/${String(number)}`, undefined, leaseHeader(secret))
    await io.lease()
    const refused = await power.send('POST', '/api/power/1.0/1/limits', limits)
    expect([refused.status, refused.message]).toEqual([423, expect.stringContaining('leased to another client')])
  })

  it('is not needed to switch off the modules of a token: another service and a read-only token are refused', async () => {
    const { client } = await device()
    const off = async (name: string, more: object) => {
      const { status, error, body } = await (await client(name, more)).send('POST', '/slotwire/off', {})
      return error ?? [status, body['modules']]
    }
    const [three, five] = [3, 5].map((slot) => ({ slot, service: 'io', result: 'off' }))
    expect(await off('io', { services: ['io'] })).toEqual([200, [three, five]])
    expect(await off('power', { services: ['power'] })).toBe('service-not-granted')
    expect(await (await client('other io', { services: ['io'] })).recorded()).toEqual(['3 io, 5 io'])
    expect(await off('wall', { readOnly: true })).toBe('read-only')
  })

  it('lapses when the token is revoked: the module is safe within 200 ms, and the secret is worth nothing', async () => {
    const { clock, store, client, journal } = await device()
    const [holder, other] = [await client('holder'), await client('other')]
    const { secret } = await holder.lease({ slots: [5, 3, 1], on_lapse: 'safe' })
    await store.revoke('holder')
    await clock.advance(CHECKED_WITHIN_MS)
    const safe = [5, 3].map((slot) => ({ slot, service: 'io', result: 'applied' }))
    expect(journal()).toMatchObject([
      { event: 'granted' },
      { event: 'lapsed', reason: 'revoked', modules: [{ slot: 5 }, { slot: 3 }, { slot: 1 }] },
      { event: 'safe-state', modules: safe },
    ])
    expect(await holder.send('POST', ...MODE, leaseHeader(secret))).toMatchObject({ status: 401 })
    expect(await other.send('POST', ...MODE, leaseHeader(secret))).toMatchObject({ status: 423, error: 'lease-expired' })
    expect(await other.send('POST', ...MODE)).toMatchObject({ status: 200 })
  })

  it('expires now plus what is left, also after the date was set', async () => {
    const { clock, client, setDate } = await device()
    const holder = await client('holder')
    await holder.lease()
    await clock.advance(4000)
    setDate('2031-01-01T00:00:00.000Z')
    const { leases } = (await holder.send('GET', LEASES)).body
    expect(leases).toMatchObject([{ expires_at: '2031-01-01T00:00:06.000Z', seconds_left: 6 }])
  })

  it('holds while the tokens cannot be read', async () => {
    const { clock, client, journal, hideTokens } = await device()
    const holder = await client('holder')
    const { secret } = await holder.lease({ on_lapse: 'safe' })
    const show = hideTokens()
    await clock.advance(1000)
    expect(await holder.send('POST', ...MODE, leaseHeader(secret))).toMatchObject({ status: 503, error: 'tokens-unreadable' })
    show()
    await clock.advance(1000)
    expect(await holder.send('POST', ...MODE, leaseHeader(secret))).toMatchObject({ status: 200 })
    expect(journal().map(({ event }) => event)).toEqual(['granted'])
  })

  it('is in the journal, a takeover in the audit log too, and its secret is nowhere', async () => {
    const { log, client, auditText, journal, records } = await device()
    const [holder, other] = [await client('holder'), await client('other')]
    const first = await holder.lease()
    const second = await other.lease({ slots: [5, 3], holder: 'line 4', force: true })
    await other.send('POST', ...MODE, leaseHeader(second['secret']))
    await holder.send('POST', ...MODE, leaseHeader(first['secret']))
    await other.send('PUT', `${LEASES}/2`, { ttl_seconds: 20 }, leaseHeader(second['secret']))
    await other.send('DELETE', `${LEASES}/2`, undefined, leaseHeader(second['secret']))
    const about = { kind: 'lease', ttl_seconds: 10, on_lapse: 'keep' }
    const [five, three] = [5, 3].map((slot) => ({ slot, service: 'io' }))
    const from = { lease: 1, holder: 'line 3', token: 'holder' }
    expect(journal()).toMatchObject([
      { ...about, event: 'granted', modules: [five], lease: 1, holder: 'line 3', token: 'holder' },
      { ...about, event: 'taken-over', modules: [{ ...five, from }, three], lease: 2, holder: 'line 4', token: 'other' },
      { event: 'given-back', modules: [five, three], lease: 2 },
    ])
    // Requests for leases are no writes of their own.
    expect(records().filter(({ kind }) => kind === 'write')).toMatchObject([{ path: MODE[0] }, { path: MODE[0], status: 423 }])
    const entries = auditText()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { who: string; what: object; result: number })
    expect(entries).toContainEqual(
      expect.objectContaining({
        who: 'other',
        what: { method: 'POST', path: LEASES, body: { ...asked, slots: [5, 3], holder: 'line 4', force: true } },
        result: 200,
      }),
    )
    const written = JSON.stringify([auditText(), journal(), log])
    for (const { secret } of [first, second]) expect(written).not.toContain(String(secret).slice(0, 20))
  })
})
