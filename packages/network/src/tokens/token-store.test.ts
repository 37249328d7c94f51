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
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { OperatorError } from '../operator-error.ts'
import { formatTokens } from './token-document.ts'
import { START, tokenOptions, tokenStore } from './token-store.testkit.ts'

const DAY_MS = 86_400_000

describe('TokenStore.create', () => {
  it('creates a token with the given rights', async () => {
    const { store, dateIn } = tokenStore()
    const expires = dateIn(DAY_MS)
    const { text, token } = await store.create({ name: 'line 3 PLC', readOnly: true, services: ['io', 'power', 'io'], expires })
    expect(token).toMatchObject({ name: 'line 3 PLC', readOnly: true, services: ['io', 'power'], created: START, expires })
    expect(store.authenticate(text)).toEqual(token)
  })

  it('stores only the SHA-256 of the secret, readable by the owner only', async () => {
    const { store, folder } = tokenStore()
    const { text, token } = await store.create(tokenOptions('a'))
    const kept = readFileSync(join(folder, 'tokens.json'), 'utf8')
    expect(kept).toContain(token.id)
    expect(kept).not.toContain(text.slice(-43))
    expect(kept).toMatch(/"sha256": "[0-9a-f]{64}"/)
    expect(statSync(join(folder, 'tokens.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('creates a missing state folder', async () => {
    const folder = join(temporaryFolder(), 'deep', 'state')
    const { store } = tokenStore(folder)
    await store.create(tokenOptions('a'))
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  const refused: readonly (readonly [string, Parameters<typeof tokenOptions>, string])[] = [
    ['no name', [''], 'the name must have 1…64 characters'],
    ['a name of 65 characters', ['é'.repeat(65)], 'the name must have 1…64 characters'],
    ['control characters in the name', ['a\u{1b}[2J'], 'only printable characters'],
    ['a line break in the name', ['a\nb'], 'only printable characters'],
    ['a direction mark in the name', ['a\u{202e}b'], 'only printable characters'],
    ['a space at the end of the name', ['a '], 'begin or end with a space'],
    ...['local', 'service', 'nobody', 'Local'].map((name): readonly [string, Parameters<typeof tokenOptions>, string] => [
      `the name ${name}, which the audit log uses for others`,
      [name],
      'are reserved for the audit log',
    ]),
    ['no services', ['a', { services: [] }], 'the services must be one or more'],
    ['an end in the past', ['a', { expires: START }], 'must expire in the future'],
    ['an invalid end date', ['a', { expires: 'tomorrow' }], 'must expire in the future'],
  ]

  it.each(refused)('refuses %s', async (_, [name, more], message) => {
    const { store, folder } = tokenStore()
    await expect(store.create(tokenOptions(name, more))).rejects.toThrow(OperatorError)
    await expect(store.create(tokenOptions(name, more))).rejects.toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })

  it('accepts a name of 64 characters of several bytes', async () => {
    const { store } = tokenStore()
    const name = '線'.repeat(32) + '🔧'.repeat(32)
    expect((await store.create(tokenOptions(name))).token.name).toBe(name)
  })

  it('refuses a name that exists, in any Unicode form or as an id', async () => {
    const { store } = tokenStore()
    const { token } = await store.create(tokenOptions('Schrank \u{fc}'))
    await expect(store.create(tokenOptions('Schrank u\u{308}'))).rejects.toThrow(
      'there is a token "Schrank ü" already: choose another name',
    )
    await expect(store.create(tokenOptions(token.id))).rejects.toThrow('already')
  })

  it('refuses the 1001st token', async () => {
    const { store, folder } = tokenStore()
    const sha256 = '0'.repeat(64)
    const tokens = Array.from({ length: 1000 }, (_, index) => String(index).padStart(8, '0'))
    const stored = tokens.map((id) => ({ ...tokenOptions(`token ${id}`), id, sha256, created: START }))
    writeFileSync(join(folder, 'tokens.json'), formatTokens(stored))
    await expect(store.create(tokenOptions('a'))).rejects.toThrow('there are 1000 tokens already: revoke one first')
    await store.revoke('00000007')
    await store.create(tokenOptions('a'))
  })
})

describe('TokenStore.authenticate', () => {
  it('refuses every text that is not exactly a token', async () => {
    const { store } = tokenStore()
    const [{ text }, other] = [await store.create(tokenOptions('a')), await store.create(tokenOptions('b'))]
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

  it('refuses an expired token and logs that once', async () => {
    const { store, clock, log, dateIn } = tokenStore()
    const { text } = await store.create(tokenOptions('short', { expires: dateIn(DAY_MS) }))
    await clock.advance(DAY_MS - 1)
    expect(store.authenticate(text)?.name).toBe('short')
    await clock.advance(1)
    for (let attempt = 0; attempt < 3; attempt++) expect(store.authenticate(text)).toBeUndefined()
    expect(log.linesOf('warn')).toEqual([
      { level: 'warn', message: 'an expired token was used', fields: { token: 'short', expires: dateIn(0) } },
    ])
  })

  it('applies changes of another process at once', async () => {
    const { store, more } = tokenStore()
    const other = more()
    const first = await other.create(tokenOptions('a'))
    expect(store.authenticate(first.text)?.name).toBe('a')
    const second = await other.create(tokenOptions('b'))
    await nextTurn()
    expect(store.authenticate(second.text)?.name).toBe('b')
    expect(await other.revoke('a')).toEqual(first.token)
    await nextTurn()
    expect(store.authenticate(first.text)).toBeUndefined()
    await other.revoke(second.token.id)
    await nextTurn()
    expect(store.authenticate(second.text)).toBeUndefined()
  })

  it('applies a change by hand that keeps the length of the file', async () => {
    const { store, folder } = tokenStore()
    const { text } = await store.create(tokenOptions('a'))
    const path = join(folder, 'tokens.json')
    expect(store.authenticate(text)?.readOnly).toBe(false)
    writeFileSync(path, readFileSync(path, 'utf8').replace('false', 'true '))
    await nextTurn()
    expect(store.authenticate(text)?.readOnly).toBe(true)
  })

  it('refuses all tokens after the file was removed', async () => {
    const { store, folder, log } = tokenStore()
    const { text } = await store.create(tokenOptions('a'))
    expect(store.authenticate(text)).toBeDefined()
    rmSync(join(folder, 'tokens.json'))
    await nextTurn()
    expect(store.authenticate(text)).toBeUndefined()
    expect(log.lines).toEqual([])
  })
})

describe('TokenStore with a broken file', () => {
  it('keeps the last good tokens and logs the reason once', async () => {
    const { store, folder, log } = tokenStore()
    const { text } = await store.create(tokenOptions('a'))
    expect(store.authenticate(text)).toBeDefined()
    appendFileSync(join(folder, 'tokens.json'), '}')
    await nextTurn()
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(store.authenticate(text)?.name).toBe('a')
      await nextTurn()
    }
    expect(log.linesOf('error').map(({ fields }) => fields)).toEqual([
      { reason: `${join(folder, 'tokens.json')}: this is not JSON; correct the file, or restore a backup` },
    ])
  })

  it('refuses every token until the file was read once, and warns from the start', async () => {
    const { store, folder, more } = tokenStore()
    const path = join(folder, 'tokens.json')
    const { text } = await store.create(tokenOptions('a'))
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, '')
    const started = more()
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(started.warnings).toEqual(['tokens: tokens.json cannot be read: requests with a token get 503'])
      expect(() => started.authenticate(text)).toThrow(coreErrors.tokensUnreadable().message)
      await nextTurn()
    }
    writeFileSync(path, good)
    await nextTurn()
    expect([started.authenticate(text)?.name, started.warnings]).toEqual(['a', []])
  })

  it('reads the file again after it was fixed, and logs that', async () => {
    const { store, folder, log } = tokenStore()
    const path = join(folder, 'tokens.json')
    const { text } = await store.create(tokenOptions('a'))
    const good = readFileSync(path, 'utf8')
    expect(store.authenticate(text)).toBeDefined()
    writeFileSync(path, 'half')
    await nextTurn()
    expect(store.authenticate(text)).toBeDefined()
    writeFileSync(path, good.replace('"a"', '"fixed"'))
    await nextTurn()
    expect(store.authenticate(text)?.name).toBe('fixed')
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: the tokens cannot be read: the tokens read last stay in force',
      'info: the tokens can be read again',
    ])
  })

  it('neither lists nor changes tokens', async () => {
    const { store, folder } = tokenStore()
    writeFileSync(join(folder, 'tokens.json'), '[]')
    await nextTurn()
    const message = 'there must be an object with a list of tokens; correct the file, or restore a backup'
    expect(() => store.list()).toThrow(message)
    await expect(store.create(tokenOptions('a'))).rejects.toThrow(message)
    await expect(store.revoke('a')).rejects.toThrow(OperatorError)
    expect(readFileSync(join(folder, 'tokens.json'), 'utf8')).toBe('[]')
    expect(readdirSync(folder)).toEqual(['tokens.json'])
  })

  it('refuses every token while the file has changed and cannot be read, and logs it once', async () => {
    const { store, folder, log } = tokenStore()
    const path = join(folder, 'tokens.json')
    const { text } = await store.create(tokenOptions('a'))
    expect(store.authenticate(text)).toBeDefined()
    renameSync(path, `${path}.away`)
    mkdirSync(path)
    await nextTurn()
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => store.authenticate(text)).toThrow(coreErrors.tokensUnreadable().message)
      await nextTurn()
    }
    expect(log.linesOf('error').map(({ fields }) => fields)).toEqual([{ reason: `${path} cannot be read (EISDIR)` }])
    expect(store.metrics()).toHaveLength(1)
    rmdirSync(path)
    renameSync(`${path}.away`, path)
    await nextTurn()
    expect(store.authenticate(text)?.name).toBe('a')
    expect(log.linesOf('info')).toHaveLength(1)
  })
})

describe('TokenStore.list and metrics', () => {
  it('list all tokens in order of creation, without hashes', async () => {
    const { store } = tokenStore()
    const names = ['b', 'a', 'c']
    for (const name of names) await store.create(tokenOptions(name))
    expect(store.list().map(({ name }) => name)).toEqual(names)
    const keys = ['created', 'expires', 'id', 'lastUsed', 'name', 'readOnly', 'services']
    expect(Object.keys(store.list()[0] ?? {}).sort()).toEqual(keys)
  })

  it('count tokens by kind', async () => {
    const { store, clock, dateIn } = tokenStore()
    const count = () => store.metrics()[0]?.samples.map(({ labels, value }) => [labels?.['kind'], value])
    expect(count()).toEqual([
      ['full', 0],
      ['read-only', 0],
      ['expired', 0],
    ])
    await store.create(tokenOptions('a'))
    await store.create(tokenOptions('b', { readOnly: true }))
    await store.create(tokenOptions('c', { readOnly: true, expires: dateIn(DAY_MS) }))
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

it('TokenStore.revoke suggests the nearest name or the list for an unknown token', async () => {
  const { store } = tokenStore()
  await store.create(tokenOptions('a'))
  await expect(store.revoke('b')).rejects.toThrow('there is no token "b": see slotwire token list')
  await store.create(tokenOptions('line 3 PLC'))
  await expect(store.revoke('line 3 PLS')).rejects.toThrow('there is no token "line 3 PLS": did you mean "line 3 PLC"?')
  expect(store.list()).toHaveLength(2)
})

describe('two processes that change tokens', () => {
  it("wait for each other's lock", async () => {
    const { store, folder, clock } = tokenStore()
    const lock = join(folder, 'tokens.json.lock')
    writeFileSync(lock, JSON.stringify(identityOf(process.pid)))
    const created = store.create(tokenOptions('a'))
    await clock.advance(1000)
    expect(store.list()).toEqual([])
    rmSync(lock)
    await clock.advance(10)
    expect((await created).token.name).toBe('a')
  })

  it('wait at most ten seconds', async () => {
    const { store, folder, clock } = tokenStore()
    writeFileSync(join(folder, 'tokens.json.lock'), JSON.stringify(identityOf(process.pid)))
    const refused = expect(store.create(tokenOptions('a'))).rejects.toThrow(
      `tokens.json.lock is held by process ${process.pid}: wait for it, or end it`,
    )
    await clock.advance(10_000)
    await refused
  })
})

describe('the check of the token file', () => {
  it('happens once for all requests that arrived together', async () => {
    const { store, folder } = tokenStore()
    const { text } = await store.create(tokenOptions('a'))
    expect(store.authenticate(text)).toBeDefined()
    rmSync(join(folder, 'tokens.json'))
    expect(store.authenticate(text)).toBeDefined()
    await nextTurn()
    expect(store.authenticate(text)).toBeUndefined()
  })

  it('takes less than 0.1 ms', async () => {
    const { store } = tokenStore()
    const { text } = await store.create(tokenOptions('a'))
    const clock = new SystemClock()
    const rounds = 500
    const spent: number[] = []
    for (let round = 0; round < rounds; round++) {
      await nextTurn()
      const from = clock.now()
      store.authenticate(text)
      spent.push(clock.now() - from)
    }
    // The median: in some rounds this process had to wait for a processor.
    expect(spent.sort((a, b) => a - b)[rounds / 2]).toBeLessThan(0.1)
  })
})
