import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accountOf } from './account.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slotwire-account-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Of all programs there is this one. */
const onlyId = (script?: string): void => {
  if (script !== undefined) writeFileSync(join(folder, 'id'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  vi.stubEnv('PATH', folder)
}

describe('the account of a user', () => {
  it('has its numbers, with all groups', async () => {
    onlyId('[ $1 = -u ] && echo 999 || echo 999 20')
    expect(await accountOf('games')).toEqual({ name: 'games', uid: 999, gids: [999, 20] })
  })

  it('is this machine’s', async () => {
    expect(await accountOf('root')).toMatchObject({ uid: 0 })
    await expect(accountOf('no-such-user')).rejects.toThrow(
      'there is no user no-such-user on this machine: make it (useradd --system no-such-user), or name another with --user <name>',
    )
  })

  it('may be slow to come: nobody is told to make that user', async () => {
    onlyId('while :; do :; done')
    await expect(accountOf('games', 50)).rejects.toThrow(/^user games cannot be looked up within 0\.05 s: see what/)
  })

  it('may not be told: nobody is told to make that user', async () => {
    onlyId('exit 3')
    await expect(accountOf('games')).rejects.toThrow(/^user games cannot be looked up now: see what/)
  })

  it('cannot be looked up without the program for that', async () => {
    onlyId()
    await expect(accountOf('games')).rejects.toThrow(/^no user can be looked up without the program id: install it/)
  })
})
