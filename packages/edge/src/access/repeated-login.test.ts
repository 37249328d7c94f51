import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fromIsoTime, isoTime } from '@slotwire/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { START, tokenStore } from '../../../network/src/tokens/token-store.testkit.ts'
import { basic, FEED, LEVEL, openDoors } from './access.testkit.ts'

type Headers = Readonly<Record<string, string>>

/** Sends all requests on one kept connection; rejects if another one was used. */
function onOneConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ports = new Set<number | undefined>()
  return (headers: Headers, path = LEVEL): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, agent }, (answer) => {
        ports.add(answer.socket.localPort)
        answer.resume().once('end', () => {
          if (ports.size === 1) resolve(answer.statusCode ?? 0)
          else reject(new Error('the connection was not kept'))
        })
      })
      sent.on('error', reject).end()
    })
}

async function loggedIn() {
  const doors = await openDoors()
  return { ...doors, ask: onOneConnection(doors.network) }
}

/** The text with another letter at this position. */
function changedAt(text: string, index: number): string {
  return text.slice(0, index) + (text.charAt(index) === 'A' ? 'E' : 'A') + text.slice(index + 1)
}

/** Changes the only token in the file, as with an editor. */
function edit(folder: string, change: object): void {
  const path = join(folder, 'tokens.json')
  const { tokens, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: readonly object[] }
  writeFileSync(path, JSON.stringify({ ...rest, tokens: tokens.map((token) => ({ ...token, ...change })) }))
}

describe('a kept connection', () => {
  it('is refused as soon as the token is revoked, by this process or another', async () => {
    const { ask, token, store, folder } = await loggedIn()
    for (const revoking of [store, tokenStore(folder).store]) {
      const headers = basic(await token('a'))
      expect([await ask(headers), await ask(headers)]).toEqual([200, 200])
      await revoking.revoke('a')
      expect([await ask(headers), await ask(headers)]).toEqual([401, 401])
    }
  })

  it('accepts a new token of the same name, and refuses the old one', async () => {
    const { ask, token, store } = await loggedIn()
    const before = basic(await token('a'))
    expect(await ask(before)).toBe(200)
    await store.revoke('a')
    const after = basic(await token('a'))
    expect([await ask(before), await ask(after), await ask(before), await ask(after)]).toEqual([401, 200, 401, 200])
  })

  it('stays logged in while other tokens are created and revoked', async () => {
    const { ask, token, store } = await loggedIn()
    const headers = basic(await token('a'))
    expect(await ask(headers)).toBe(200)
    await token('b')
    expect(await ask(headers)).toBe(200)
    await store.revoke('b')
    expect(await ask(headers)).toBe(200)
  })

  it('is refused from the moment when the token expires', async () => {
    const { ask, token, clock, dateIn, log } = await loggedIn()
    const headers = basic(await token('a', { expires: dateIn(1000) }))
    await clock.advance(999)
    expect([await ask(headers), await ask(headers)]).toEqual([200, 200])
    await clock.advance(1)
    expect([await ask(headers), await ask(headers)]).toEqual([401, 401])
    expect(log.linesOf('warn').filter(({ message }) => message === 'an expired token was used')).toHaveLength(1)
  })

  it("follows changes of the token's rights", async () => {
    const { ask, token, folder } = await loggedIn()
    const headers = basic(await token('a'))
    expect([await ask(headers), await ask(headers, FEED)]).toEqual([200, 200])
    edit(folder, { readOnly: true })
    expect([await ask(headers), await ask(headers, FEED)]).toEqual([200, 403])
    edit(folder, { services: ['io'] })
    expect([await ask(headers), await ask(headers, '/slotwire/livez')]).toEqual([403, 200])
    edit(folder, { services: ['toy'], readOnly: false })
    expect([await ask(headers), await ask(headers, FEED)]).toEqual([200, 200])
  })

  it('refuses a header that differs in one character, at any position', async () => {
    const { ask, token, failures } = await loggedIn()
    const { authorization } = basic(await token('a'))
    // The scheme is case-insensitive and not secret.
    const places = Array.from(authorization.slice('Basic '.length).replace(/=*$/, ''), (_, index) => index + 'Basic '.length)
    for (const place of places) {
      expect(await ask({ authorization })).toBe(200)
      expect(await ask({ authorization: changedAt(authorization, place) }), String(place)).toBeOneOf([401, 429])
    }
    expect(await ask({ authorization: authorization.slice(0, -1) })).toBe(429)
    expect(await ask({})).toBe(401)
    expect(failures.metrics()[0]?.samples[0]?.value).toBe(places.length + 1)
  })

  it('uses for each request the rights and the name of its own token', async () => {
    const { ask, token, store, clock, folder } = await loggedIn()
    const [full, screen] = [basic(await token('full')), basic(await token('screen', { readOnly: true }))]
    expect([await ask(full, FEED), await ask(screen, FEED), await ask(full, FEED), await ask(screen)]).toEqual([
      200, 403, 200, 200,
    ])
    const lines = readFileSync(join(folder, 'audit/writes.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { who: string }).who)).toEqual(['full', 'screen', 'full'])
    const used = (): readonly (string | undefined)[] => store.list().map(({ lastUsed }) => lastUsed)
    expect(used()).toEqual([START, START])
    await clock.advance(500)
    await ask(screen)
    expect(used()).toEqual([START, isoTime(fromIsoTime(START) + 500)])
  })

  it('does not affect another connection', async () => {
    const { ask, token, network } = await loggedIn()
    const { authorization } = basic(await token('a'))
    expect(await ask({ authorization })).toBe(200)
    const other = onOneConnection(network)
    expect(await other({ authorization: changedAt(authorization, authorization.length - 8) })).toBe(401)
    expect(await other({ authorization })).toBe(200)
  })
})
