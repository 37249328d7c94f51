import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { tokenOptions, tokenStore } from './token-store.testkit.ts'

const usesIn = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'token-use.json'), 'utf8'))

async function usedToken() {
  const given = tokenStore()
  const { text, token } = await given.store.create(tokenOptions('a'))
  return { ...given, text, id: token.id, use: () => given.store.authenticate(text) }
}

describe('last use of a token', () => {
  it('is listed at once by the same process, and within a second by others', async () => {
    const { store, more, clock, use, dateIn } = await usedToken()
    expect(store.list()[0]?.lastUsed).toBeUndefined()
    use()
    const used = dateIn(0)
    expect(store.list()[0]?.lastUsed).toBe(used)
    expect(more().list()[0]?.lastUsed).toBeUndefined()
    await clock.advance(1000)
    expect(more().list()[0]?.lastUsed).toBe(used)
  })

  it('is written at most once a minute', async () => {
    const { folder, clock, use, id, dateIn } = await usedToken()
    use()
    await clock.advance(1000)
    const first = usesIn(folder)
    for (let second = 0; second < 59; second++) {
      use()
      await clock.advance(1000)
      expect(usesIn(folder)).toEqual(first)
    }
    const last = dateIn(-1000)
    await clock.advance(1000)
    expect(usesIn(folder)).toEqual({ [id]: last })
    expect(clock.pending).toBe(0)
  })

  it('is written at close and read by the next process', async () => {
    const { store, more, clock, use, dateIn, id, folder } = await usedToken()
    use()
    store.close()
    expect(clock.pending).toBe(0)
    expect(more().list()[0]?.lastUsed).toBe(dateIn(0))
    const next = more()
    const other = await next.create(tokenOptions('b'))
    await clock.advance(5)
    next.authenticate(other.text)
    next.close()
    expect(usesIn(folder)).toEqual({ [id]: dateIn(-5), [other.token.id]: dateIn(0) })
  })

  it('is removed with the token', async () => {
    const { store, use, folder, id } = await usedToken()
    const { text, token } = await store.create(tokenOptions('b'))
    use()
    store.authenticate(text)
    await store.revoke(id)
    store.close()
    expect(Object.keys(usesIn(folder) as object)).toEqual([token.id])
  })

  it('is not written by a process that only manages tokens', async () => {
    const { store, folder } = await usedToken()
    store.list()
    store.close()
    expect(existsSync(join(folder, 'token-use.json'))).toBe(false)
  })

  it('replaces an invalid file', async () => {
    for (const content of ['half', 'null', '[1]', '{"a":1}']) {
      const given = tokenStore(temporaryFolder())
      writeFileSync(join(given.folder, 'token-use.json'), content)
      const { text, token } = await given.store.create(tokenOptions('a'))
      expect(given.store.list()[0]?.lastUsed).toBeUndefined()
      given.store.authenticate(text)
      given.store.close()
      expect(usesIn(given.folder)).toEqual({ [token.id]: given.dateIn(0) })
    }
  })

  it('is written later after a failure, which is logged once', async () => {
    const { store, folder, clock, log, use, id, dateIn } = await usedToken()
    mkdirSync(join(folder, 'token-use.json.next'))
    use()
    await clock.advance(1000)
    use()
    await clock.advance(60_000)
    expect(log.linesOf('warn').map(({ message }) => message)).toEqual(['the last uses of tokens cannot be written'])
    rmSync(join(folder, 'token-use.json.next'), { recursive: true })
    store.close()
    expect(usesIn(folder)).toEqual({ [id]: dateIn(-60_000) })
  })
})
