import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog, systemRandom, systemWallTime } from '@slotwire/core'
import { TokenStore } from '@slotwire/network'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'

const MAIN = join(import.meta.dirname, '../../dist/main.js')

let folder: string
let state: string
beforeEach(() => {
  folder = temporaryFolder()
  state = join(folder, 'state')
})

async function outcomeOf(child: ChildProcess) {
  let [output, errors] = ['', '']
  child.stdout?.on('data', (data) => (output += String(data)))
  child.stderr?.on('data', (data) => (errors += String(data)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output, errors }
}

const slotwire = (...words: string[]) => outcomeOf(spawn(process.execPath, [MAIN, ...words, '--state', state]))

const storeOf = () =>
  new TokenStore({ folder: state, clock: new ManualClock(), wallTime: systemWallTime, random: systemRandom, log: silentLog })

/** Starting the whole program is slow on a busy machine. */
const SLOW = { timeout: 60_000 }

describe('slotwire token', SLOW, () => {
  it('prints a token that a shell can store with TOKEN=$(slotwire token create …)', async () => {
    const script = 'TOKEN=$("$0" "$1" token create --name "line 3" --state "$2"); printf %s "got $TOKEN"'
    const { output, errors, code } = await outcomeOf(spawn('/bin/sh', ['-c', script, process.execPath, MAIN, state]))
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
    expect(readdirSync(state).sort()).toEqual(['audit', 'tokens.json'])
  })

  it('gives every file to the owner of the folder, even when root runs it', async () => {
    const [user, group] = process.getuid?.() === 0 ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    mkdirSync(state)
    chownSync(state, user, group)
    expect((await slotwire('token', 'create', '--name', 'a')).code).toBe(0)
    expect((await slotwire('token', 'revoke', 'a')).code).toBe(0)
    const paths = readdirSync(state, { recursive: true, encoding: 'utf8' }).sort()
    expect(paths).toEqual(['audit', 'audit/changes.jsonl', 'tokens.json'])
    for (const path of paths) expect([statSync(join(state, path)).uid, statSync(join(state, path)).gid]).toEqual([user, group])
  })
})
