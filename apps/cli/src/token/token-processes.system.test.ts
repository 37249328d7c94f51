import { chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog, systemRandom, systemWallTime } from '@slotwire/core'
import { TokenStore } from '@slotwire/network'
import { describe, expect, it } from 'vitest'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { Serving } from '../serve/serve-process.testkit.ts'

const serving = new Serving()
const { slotwire } = serving

const storeOf = () =>
  new TokenStore({
    ...{ folder: serving.state, clock: new ManualClock(), wallTime: systemWallTime },
    ...{ random: systemRandom, log: silentLog },
  })

/** Starting the whole program is slow on a busy machine. */
const SLOW = { timeout: 60_000 }

describe('slotwire token', SLOW, () => {
  it('prints a token that a shell can store with TOKEN=$(slotwire token create …)', async () => {
    const script = 'TOKEN=$("$0" "$1" token create --name "line 3" --state "$2"); printf %s "got $TOKEN"'
    const { output, errors, code } = await new SlotwireProcess([serving.state], { startedBy: ['/bin/sh', '-c', script] }).ended
    expect(code).toBe(0)
    expect(errors).toContain('It is shown only once')
    expect(storeOf().authenticate(output.replace('got ', ''))?.name).toBe('line 3')
  })

  it('loses no change when many run in parallel', async () => {
    for (const name of ['old 0', 'old 1', 'old 2'])
      await storeOf().create({ name, readOnly: false, services: undefined, expires: undefined })
    const names = Array.from({ length: 8 }, (_, index) => `new ${index}`)
    const outcomes = await Promise.all([
      ...names.map((name) => slotwire('token', 'create', '--name', name)),
      ...['old 0', 'old 1', 'old 2'].map((name) => slotwire('token', 'revoke', name)),
    ])
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => 0))
    const store = storeOf()
    expect(
      store
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names)
    expect(outcomes.slice(0, 8).map(({ output }) => store.authenticate(output.trim())?.name)).toEqual(names)
    expect(readdirSync(serving.state).sort()).toEqual(['audit', 'tokens.json'])
  })

  it('gives every file to the owner of the folder, even when root runs it', async () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    const { state } = serving
    chownSync(state, user, group)
    expect((await slotwire('token', 'create', '--name', 'a')).code).toBe(0)
    expect((await slotwire('token', 'revoke', 'a')).code).toBe(0)
    const paths = readdirSync(state, { recursive: true, encoding: 'utf8' }).sort()
    expect(paths).toEqual(['audit', 'audit/changes.jsonl', 'tokens.json'])
    for (const path of paths) expect([statSync(join(state, path)).uid, statSync(join(state, path)).gid]).toEqual([user, group])
  })
})
