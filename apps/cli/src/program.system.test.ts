import { execFileSync } from 'node:child_process'
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../../tests/program/free-port.testkit.ts'
import { MAIN, SlotwireProcess } from '../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../tools/setup/describe-with.mjs'

/** Limits for real programs on a busy machine. */
const SOON = { timeout: 30_000, interval: 50 }
/** A pipe without a reader. */
const UNREAD = 'mkfifo "$0/p" && exec 3<>"$0/p" 4>"$0/p" 3<&- && exec "$@" >&4 4>&-'
const FULL = 'exec "$@" >/dev/full'
const ALL_FULL = 'exec "$@" >/dev/full 2>/dev/full'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let run: SlotwireProcess | undefined
beforeEach(() => (folder = temporaryFolder()))

const into = (how: string): readonly string[] => ['sh', '-c', how, folder]

function begin(startedBy: readonly string[], words: readonly string[]): SlotwireProcess {
  run = new SlotwireProcess(words, { cwd: folder, startedBy })
  return run
}

describeWith('namespaces', 'slotwire as a user without an account', (unshare) => {
  /** Starts a command as such a user, with a home folder from the environment. */
  const accountless = (...environment: readonly string[]): readonly string[] => [
    ...[unshare, '--user', '--map-user=54321', '--map-group=54321'],
    ...['env', '-u', 'XDG_STATE_HOME', '-u', 'SLOTWIRE_STATE', ...environment],
  ]

  it.each(['--version', '--help', 'config get --state here'])('%s needs no home folder', async (words) =>
    expect(await begin(accountless('-u', 'HOME'), words.split(' ')).ended).toMatchObject({ code: 0, errors: '' }),
  )

  it.each([[['-u', 'HOME']], [['HOME=']], [['HOME=here']], [['HOME=', 'XDG_STATE_HOME=here']]])(
    'a command that needs the state asks for --state, with %j',
    async (environment) => {
      const words = ['serve', '--hardware', 'twin', '--port', '0']
      expect(await begin(accountless(...environment), words).ended).toEqual({
        code: 2,
        output: '',
        errors: expect.stringMatching(
          /^slotwire: .*HOME is not an absolute path.*: name a folder with --state <dir>\n$/,
        ) as string,
      })
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

describe('standard output', () => {
  it.each(['--version', 'serve --help', 'config get --state state', 'doctor --hardware twin --port 0 --state state'])(
    'without a reader ends %s quietly, as SIGPIPE would',
    async (words) => expect(await begin(into(UNREAD), words.split(' ')).ended).toEqual({ code: 141, output: '', errors: '' }),
  )

  it.each(['--version', 'config get --state state'])('ends %s with one line on a full disk', async (words) =>
    expect(await begin(into(FULL), words.split(' ')).ended).toEqual({
      code: 2,
      output: '',
      errors: expect.stringMatching(
        /^slotwire: standard output cannot be written \(ENOSPC: .*\): free some space there\n$/,
      ) as string,
    }),
  )

  it.each([
    ['without a reader', UNREAD, /^slotwire: standard output cannot be written \(.*EPIPE.*\): the service keeps running\n$/],
    ['on a full disk', FULL, /^slotwire: standard output cannot be written \(ENOSPC: .*\): the service keeps running\n$/],
    ['on a full disk, like standard error,', ALL_FULL, /^$/],
  ])('%s does not stop a server', async (_, how, said) => {
    const url = `http://127.0.0.1:${await freePort()}`
    const words = ['serve', '--hardware', 'twin', '--port', new URL(url).port, '--state', 'state', '--log-level', 'warn']
    const server = begin(into(how), words)
    const ready = async (): Promise<number | undefined> => (await fetch(`${url}/slotwire/readyz`).catch(() => undefined))?.status
    await expect.poll(ready, SOON).toBe(200)
    await expect.poll(() => server.errors, SOON).toMatch(said)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, output: '', errors: expect.stringMatching(said) as string })
  })
})

it('the log is for people on a terminal, and JSON elsewhere', async () => {
  const words = ['serve', '--twins', '1', '--port', '0']
  const terminal = `exec script -qefc '"${process.execPath}" "${MAIN}" ${words.join(' ')}' /dev/null`
  const shown = new SlotwireProcess([], { startedBy: ['sh', '-c', terminal] })
  await expect.poll(() => shown.output, SOON).toMatch(/^\d\d:\d\d:\d\d all doors are open: the twins start \(twins 1\)\r$/m)
  await shown.remove()
  const piped = begin([], words)
  await expect.poll(() => piped.errors, SOON).toMatch(/^\{"level":30,.*"msg":"all doors are open: the twins start"\}$/m)
  piped.child.kill('SIGTERM')
  await piped.ended
})

it.each([
  ['pipe', () => into('exec "$@" 2>"$0/log"')],
  ['socket, as to the journal,', () => []],
])(
  'a log to a %s whose reader stalls does not hold up a server, which says later how many lines are lost',
  async (of, startedBy) => {
    const url = `http://127.0.0.1:${await freePort()}`
    const words = ['serve', '--hardware', 'twin', '--port', new URL(url).port, '--state', 'memory', '--log-format', 'json']
    execFileSync('mkfifo', [join(folder, 'log')])
    const server = begin(startedBy(), words)
    const log = of === 'pipe' ? createReadStream(join(folder, 'log')) : (server.child.stderr as Readable)
    log.pause()
    let text = ''
    log.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const save = async () => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"timeout":12345}' }
      const answer = fetch(`${url}/api/bmc/1.0/0/watchdog/sw_shutdown_timeout`, {
        ...request,
        signal: AbortSignal.timeout(5_000),
      })
      return (await answer).status
    }
    await expect.poll(() => save().catch(() => undefined), SOON).toBe(200)
    for (let count = 0; count < 1500; count++) expect(await save()).toBe(200)
    log.resume()
    while (!/are lost[^\n]*\n/.test(text)) await save()
    expect(text).toMatch(/\n\{[^\n]*"lines":[1-9]\d{1,3},"msg":"lines of this log are lost[^\n]*\n/)
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  },
)

it('a standard error on a full disk does not change the exit code of a mistyped command', async () =>
  expect(await begin(['sh', '-c', ALL_FULL, folder], ['serve', '--hardware', 'real']).ended).toMatchObject({ code: 2 }))

it('says how many file descriptors it needs', async () => {
  const few = ['/bin/sh', '-c', 'ulimit -n 40; exec "$0" "$@"']
  expect(await begin(few, ['serve', '--hardware', 'twin', '--port', '0', '--state', 'memory']).ended).toEqual({
    code: 2,
    output: '',
    errors: 'slotwire: this process may open 40 files, and needs 64: raise the limit (ulimit -n, LimitNOFILE)\n',
  })
})

it('restores from no pipe, which may never end', async () => {
  const { errors } = await begin(['/bin/sh', '-c', 'mkfifo p; exec "$0" "$@"'], ['restore', 'p', '--state', 'here']).ended
  expect(errors).toContain('p is not a file: write - to read standard input')
})
