import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { coreErrors, nextTurn, SystemClock } from '@slotwire/core'
import { identityOf } from '@slotwire/storage'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../operator-error.ts'
import { formatTokens } from './token-document.ts'
import { START, stateFolder, tokenStore, wish } from './token-store.testkit.ts'

const DAY_MS = 86_400_000

describe('a new token', () => {
  it('lets its holder in, as what it was made', async () => {
    const { store, dateIn } = tokenStore()
    const expires = dateIn(DAY_MS)
    const { text, token } = await store.create({ name: 'line 3 PLC', readOnly: true, services: ['io', 'power', 'io'], expires })
    expect(token).toMatchObject({ name: 'line 3 PLC', readOnly: true, services: ['io', 'power'], created: START, expires })
    expect(store.authenticate(text)).toEqual(token)
  })

  it('is kept as the SHA-256 of its secret, for the owner alone', async () => {
    const { store, folder } = tokenStore()
    const { text, token } = await store.create(wish('a'))
    const kept = readFileSync(join(folder, 'tokens.json'), 'utf8')
    expect(kept).toContain(token.id)
    expect(kept).not.toContain(text.slice(-43))
    expect(kept).toMatch(/"sha256": "[0-9a-f]{64}"/)
    expect(statSync(join(folder, 'tokens.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('may be the first thing in a folder that is not there yet', async () => {
    const folder = join(stateFolder(), 'deep', 'state')
    const { store } = tokenStore(folder)
    await store.create(wish('a'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  const refused: readonly (readonly [string, Parameters<typeof wish>, string])[] = [
    ['no name', [''], 'the name must have 1…64 characters'],
    ['a name of 65 characters', ['é'.repeat(65)], 'the name must have 1…64 characters'],
    ['a name that a terminal would act on', ['a\u{1b}[2J'], 'printable characters alone'],
    ['a name over two lines', ['a\nb'], 'printable characters alone'],
    ['a name that turns the text around', ['a\u{202e}b'], 'printable characters alone'],
    ['a name that ends with a space', ['a '], 'begin or end with a space'],
    ...['local', 'service', 'nobody', 'Local'].map((name): readonly [string, Parameters<typeof wish>, string] => [
      `the name ${name}, which the audit log gives to others`,
      [name],
      'none of local, service, nobody',
    ]),
    ['no services', ['a', { services: [] }], 'the services must be one or more'],
    ['an end in the past', ['a', { expires: START }], 'must expire in the future'],
    ['an end that is no date', ['a', { expires: 'tomorrow' }], 'must expire in the future'],
  ]

  it.each(refused)('with %s is refused', async (_, [name, more], message) => {
    const { store, folder } = tokenStore()
    await expect(store.create(wish(name, more))).rejects.toThrow(OperatorError)
    await expect(store.create(wish(name, more))).rejects.toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })

  it('may have a name of 64 characters, also of a script with large ones', async () => {
    const { store } = tokenStore()
    const name = '線'.repeat(32) + '🔧'.repeat(32)
    expect((await store.create(wish(name))).token.name).toBe(name)
  })

  it('has a name of its own, however that is written', async () => {
    const { store } = tokenStore()
    const { token } = await store.create(wish('Schrank \u{fc}'))
    await expect(store.create(wish('Schrank u\u{308}'))).rejects.toThrow(
      'there is a token "Schrank ü" already: choose another name',
    )
    await expect(store.create(wish(token.id))).rejects.toThrow('already')
  })

  it('is not the 1001st', async () => {
    const { store, folder } = tokenStore()
    const sha256 = '0'.repeat(64)
    const tokens = Array.from({ length: 1000 }, (_, index) => String(index).padStart(8, '0'))
    const stored = tokens.map((id) => ({ ...wish(`token ${id}`), id, sha256, created: START }))
    writeFileSync(join(folder, 'tokens.json'), formatTokens(stored))
    await expect(store.create(wish('a'))).rejects.toThrow('there are 1000 tokens already: revoke one first')
    await store.revoke('00000007')
    await store.create(wish('a'))
  })
})

describe('letting in', () => {
  it('refuses whatever is not exactly a token that there is', async () => {
    const { store } = tokenStore()
    const [{ text }, other] = [await store.create(wish('a')), await store.create(wish('b'))]
    const [id, secret] = [text.slice(0, 13), text.slice(13)]
    const swapped = secret.replace(/./g, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    const wrong = [
      '',
      id,
      secret,
      text.slice(0, -1),
      `${text}0`,
      ` ${text}`,
      text.toUpperCase(),
      id + other.text.slice(13),
      id + swapped,
    ]
    for (const attempt of wrong) expect(store.authenticate(attempt)).toBeUndefined()
    expect(store.authenticate(text)?.name).toBe('a')
  })

  it('ends when the token expires, which the log is told once', async () => {
    const { store, clock, log, dateIn } = tokenStore()
    const { text } = await store.create(wish('short', { expires: dateIn(DAY_MS) }))
    await clock.advance(DAY_MS - 1)
    expect(store.authenticate(text)?.name).toBe('short')
    await clock.advance(1)
    for (let attempt = 0; attempt < 3; attempt++) expect(store.authenticate(text)).toBeUndefined()
    expect(log.at('warn')).toEqual([
      { level: 'warn', message: 'a token was used that has expired', fields: { token: 'short', expires: dateIn(0) } },
    ])
  })

  it('follows at once what another process changes', async () => {
    const { store, more } = tokenStore()
    const other = more()
    const first = await other.create(wish('a'))
    expect(store.authenticate(first.text)?.name).toBe('a')
    const second = await other.create(wish('b'))
    await nextTurn()
    expect(store.authenticate(second.text)?.name).toBe('b')
    expect(await other.revoke('a')).toEqual(first.token)
    await nextTurn()
    expect(store.authenticate(first.text)).toBeUndefined()
    await other.revoke(second.token.id)
    await nextTurn()
    expect(store.authenticate(second.text)).toBeUndefined()
  })

  it('follows what somebody writes into the same file by hand, of the same length', async () => {
    const { store, folder } = tokenStore()
    const { text } = await store.create(wish('a'))
    const path = join(folder, 'tokens.json')
    expect(store.authenticate(text)?.readOnly).toBe(false)
    writeFileSync(path, readFileSync(path, 'utf8').replace('false', 'true '))
    await nextTurn()
    expect(store.authenticate(text)?.readOnly).toBe(true)
  })

  it('lets nobody in once the file was removed', async () => {
    const { store, folder, log } = tokenStore()
    const { text } = await store.create(wish('a'))
    expect(store.authenticate(text)).toBeDefined()
    rmSync(join(folder, 'tokens.json'))
    await nextTurn()
    expect(store.authenticate(text)).toBeUndefined()
    expect(log.lines).toEqual([])
  })
})

describe('a file of tokens that is broken', () => {
  it('leaves the last good ones in force, and is logged once, with its reason', async () => {
    const { store, folder, log } = tokenStore()
    const { text } = await store.create(wish('a'))
    expect(store.authenticate(text)).toBeDefined()
    appendFileSync(join(folder, 'tokens.json'), '}')
    await nextTurn()
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(store.authenticate(text)?.name).toBe('a')
      await nextTurn()
    }
    expect(log.at('error').map(({ fields }) => fields)).toEqual([
      { reason: `${join(folder, 'tokens.json')}: this is not JSON; correct the file, or restore a backup` },
    ])
  })

  it('is in force again when it was mended, which is logged', async () => {
    const { store, folder, log } = tokenStore()
    const path = join(folder, 'tokens.json')
    const { text } = await store.create(wish('a'))
    const good = readFileSync(path, 'utf8')
    expect(store.authenticate(text)).toBeDefined()
    writeFileSync(path, 'half')
    await nextTurn()
    expect(store.authenticate(text)).toBeDefined()
    writeFileSync(path, good.replace('"a"', '"mended"'))
    await nextTurn()
    expect(store.authenticate(text)?.name).toBe('mended')
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: the tokens cannot be read: those that were read last stay in force',
      'info: the tokens can be read again',
    ])
  })

  it('is neither listed nor changed: nothing is lost', async () => {
    const { store, folder } = tokenStore()
    writeFileSync(join(folder, 'tokens.json'), '[]')
    await nextTurn()
    const message = 'there must be an object with a list of tokens; correct the file, or restore a backup'
    expect(() => store.list()).toThrow(message)
    await expect(store.create(wish('a'))).rejects.toThrow(message)
    await expect(store.revoke('a')).rejects.toThrow(OperatorError)
    expect(readFileSync(join(folder, 'tokens.json'), 'utf8')).toBe('[]')
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('refuses every token while the file has changed and cannot be read, and logs that once', async () => {
    const { store, folder, log } = tokenStore()
    const path = join(folder, 'tokens.json')
    const { text } = await store.create(wish('a'))
    expect(store.authenticate(text)).toBeDefined()
    renameSync(path, `${path}.away`)
    mkdirSync(path)
    await nextTurn()
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => store.authenticate(text)).toThrow(coreErrors.tokensUnreadable().message)
      await nextTurn()
    }
    expect(log.at('error').map(({ fields }) => fields)).toEqual([{ reason: `${path} cannot be read (EISDIR)` }])
    expect(store.metrics()).toHaveLength(1)
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    await nextTurn()
    expect(store.authenticate(text)?.name).toBe('a')
    expect(log.at('info')).toHaveLength(1)
  })
})

describe('the list of tokens', () => {
  it('has every token in order of creation, without its hash', async () => {
    const { store } = tokenStore()
    const names = ['b', 'a', 'c']
    for (const name of names) await store.create(wish(name))
    expect(store.list().map(({ name }) => name)).toEqual(names)
    const keys = ['created', 'expires', 'id', 'lastUsed', 'name', 'readOnly', 'services']
    expect(Object.keys(store.list()[0] ?? {}).sort()).toEqual(keys)
  })

  it('counts them by kind', async () => {
    const { store, clock, dateIn } = tokenStore()
    const count = () => store.metrics()[0]?.samples.map(({ labels, value }) => [labels?.['kind'], value])
    expect(count()).toEqual([
      ['full', 0],
      ['read-only', 0],
      ['expired', 0],
    ])
    await store.create(wish('a'))
    await store.create(wish('b', { readOnly: true }))
    await store.create(wish('c', { readOnly: true, expires: dateIn(DAY_MS) }))
    expect(count()).toEqual([
      ['full', 1],
      ['read-only', 2],
      ['expired', 0],
    ])
    await clock.advance(DAY_MS)
    expect(count()).toEqual([
      ['full', 1],
      ['read-only', 1],
      ['expired', 1],
    ])
  })
})

describe('revoking', () => {
  it('of a token that there is not says where to look', async () => {
    const { store } = tokenStore()
    await store.create(wish('a'))
    await expect(store.revoke('b')).rejects.toThrow('there is no token "b": see slotwire token list')
    expect(store.list()).toHaveLength(1)
  })
})

describe('two processes that change tokens', () => {
  it('take turns: who finds the lock taken waits for it', async () => {
    const { store, folder, clock } = tokenStore()
    const lock = join(folder, 'tokens.json.lock')
    writeFileSync(lock, JSON.stringify(identityOf(process.pid)))
    const created = store.create(wish('a'))
    await clock.advance(1000)
    expect(store.list()).toEqual([])
    rmSync(lock)
    await clock.advance(10)
    expect((await created).token.name).toBe('a')
  })

  it('wait for ten seconds at most', async () => {
    const { store, folder, clock } = tokenStore()
    writeFileSync(join(folder, 'tokens.json.lock'), JSON.stringify(identityOf(process.pid)))
    const refused = expect(store.create(wish('a'))).rejects.toThrow(
      `tokens.json.lock is held by process ${process.pid}: wait for it, or end it`,
    )
    await clock.advance(10_000)
    await refused
  })

  it('do not wait for one that is no more', async () => {
    const { store, folder } = tokenStore()
    writeFileSync(join(folder, 'tokens.json.lock'), JSON.stringify({ ...identityOf(process.pid), started: '1' }))
    await store.create(wish('a'))
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })
})

describe('looking at the file', () => {
  it('is done once for all that has arrived together', async () => {
    const { store, folder } = tokenStore()
    const { text } = await store.create(wish('a'))
    expect(store.authenticate(text)).toBeDefined()
    rmSync(join(folder, 'tokens.json'))
    expect(store.authenticate(text)).toBeDefined()
    await nextTurn()
    expect(store.authenticate(text)).toBeUndefined()
  })

  it('costs little: less than a tenth of a millisecond, on any machine', async () => {
    const { store } = tokenStore()
    const { text } = await store.create(wish('a'))
    const clock = new SystemClock()
    const rounds = 500
    const spent: number[] = []
    for (let round = 0; round < rounds; round++) {
      await nextTurn()
      const from = clock.now()
      store.authenticate(text)
      spent.push(clock.now() - from)
    }
    // Half of the rounds: in others this process had to wait for a processor.
    expect(spent.sort((a, b) => a - b)[rounds / 2]).toBeLessThan(0.1)
  })
})
