import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromIsoTime } from '@slotwire/core'
import type { AuditEntry } from '@slotwire/gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand, testContext } from '../command.testkit.ts'
import type { Told } from '../run/running-service.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { configCommand } from './config-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const FILE = 'vendor: Example  # ours\ndoors:\n  listen: [0.0.0.0, "::"]\nservices:\n  io: http://127.0.0.1:8002\n'

let state: string
let said: { readonly printed: string; readonly hinted: string }
let told: Told
let toldOf: string[]
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'slotwire config '))
  told = 'told'
  toldOf = []
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const write = (text: string, name = 'settings.yaml') => writeFileSync(join(state, name), text)
const file = () => readFileSync(join(state, 'settings.yaml'), 'utf8')

/** Runs `slotwire config …` in this process; what it prints. */
async function config(...words: readonly string[]): Promise<string> {
  const test = testContext(state, NOW)
  said = test.said
  const tell = (folder: string): Told => {
    toldOf.push(folder)
    return told
  }
  await runCommand(configCommand(['bmc', 'io', 'power'], { ...test.context, tell }), [...words, '--state', state])
  return said.printed
}

async function json(...words: readonly string[]): Promise<unknown> {
  const text = await config(...words, '--json')
  expect(text).toMatch(/^\{.*\}\n$/)
  return JSON.parse(text)
}

const audited = (): readonly AuditEntry[] => {
  const path = join(state, 'audit', 'changes.jsonl')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as AuditEntry)
}

describe('slotwire config get', () => {
  it('shows every setting, and whether it comes from the file', async () => {
    write(FILE)
    expect(await config('get')).toBe(
      [
        'host-name            -                         default',
        'vendor               Example                   settings.yaml',
        'names                -                         default',
        'doors.loopback-port  8080                      default',
        'doors.listen         0.0.0.0, ::               settings.yaml',
        'doors.https-port     443                       default',
        'doors.http-port      off                       default',
        'proxies              -                         default',
        'services             io=http://127.0.0.1:8002  settings.yaml',
        'paths.machine-id     /machine-id               default',
        'paths.tls-ca         /ca.pem                   default',
        'discovery            auto                      default',
        '',
      ].join('\n'),
    )
  })

  it('shows the value alone of one setting, a line for each of several', async () => {
    write(FILE)
    expect(await config('get', 'doors.https-port')).toBe('443\n')
    expect(await config('get', 'doors.listen')).toBe('0.0.0.0\n::\n')
    expect(await config('get', 'services.io')).toBe('http://127.0.0.1:8002\n')
    expect(await config('get', 'host-name')).toBe('')
  })

  it('shows a group', async () => {
    expect(await config('get', 'paths')).toBe('paths.machine-id  /machine-id  default\npaths.tls-ca      /ca.pem      default\n')
  })

  it('shows it as JSON', async () => {
    write(FILE)
    expect(await json('get', 'doors.listen')).toEqual({ key: 'doors.listen', value: ['0.0.0.0', '::'], from: 'settings.yaml' })
    expect(await json('get', 'host-name')).toEqual({ key: 'host-name', value: null, from: 'default' })
    expect(await json('get', 'services.io')).toEqual({
      key: 'services.io',
      value: 'http://127.0.0.1:8002',
      from: 'settings.yaml',
    })
    expect(await json('get')).toMatchObject({ 'doors.https-port': { value: 443, from: 'default' }, vendor: { value: 'Example' } })
    expect(Object.keys((await json('get', 'doors')) as object)).toHaveLength(4)
  })

  it('refuses what is no setting', async () => {
    await expect(config('get', 'hostname')).rejects.toThrow(
      new UsageError('"hostname" is not a setting: slotwire config get lists all'),
    )
    await expect(config('get', 'services.power')).rejects.toThrow(UsageError)
    await expect(config('get', 'vendor', 'names')).rejects.toThrow('too many arguments')
  })

  it('shows of a broken file what is in force instead, and what is wrong', async () => {
    write('vendor: Good\n', 'settings.last-good.yaml')
    write('vendor: Bad\nnams: []\n')
    expect(await config('get', 'vendor')).toBe('Good\n')
    expect(said.hinted).toBe(
      'slotwire: the settings are broken, those of the last good file are in force:\n  settings.yaml:2: nams: is not a setting: did you mean names?\n',
    )
    expect(await json('get', 'vendor')).toMatchObject({ from: 'settings.last-good.yaml' })
    rmSync(join(state, 'settings.last-good.yaml'))
    await expect(config('get')).rejects.toThrow(new UsageError('settings.yaml:2: nams: is not a setting: did you mean names?'))
  })
})

describe('slotwire config set', () => {
  it('changes the file, tells the service, and says so', async () => {
    write(FILE)
    expect(await config('set', 'vendor', 'My Company')).toBe(
      'Changed: vendor.\nThe running service was told; its log says what came of it.\n',
    )
    expect(file()).toBe(FILE.replace('Example', 'My Company'))
    expect(toldOf).toEqual([state])
  })

  it('says what only a restart brings into force', async () => {
    expect(await config('set', 'vendor=A', 'doors.loopback-port=8081')).toContain(
      'Only a restart brings into force: doors.loopback-port.\n',
    )
    told = 'not-allowed'
    expect(await config('set', 'doors.loopback-port', '8082')).toBe(
      'Changed: doors.loopback-port.\nThe service does not run as the user of this folder, or not as you, and could not be told: send it SIGHUP, or restart it.\nOnly a restart brings into force: doors.loopback-port.\n',
    )
    told = 'not-running'
    expect(await config('set', 'doors.loopback-port', '8083')).toBe(
      'Changed: doors.loopback-port.\nNo service uses this state folder now: the next one starts with this.\n',
    )
  })

  it('takes lists as several words or with commas, and several settings at once', async () => {
    await config('set', 'names', 'a', 'b.example.com')
    await config('set', 'proxies', '10.0.0.1, 10.0.0.2')
    await config('set', 'vendor=A=B', 'doors.listen=0.0.0.0,::')
    expect(file()).toBe(
      'names: [a, b.example.com]\nproxies: [10.0.0.1, 10.0.0.2]\nvendor: "A=B"\ndoors:\n  listen: [0.0.0.0, "::"]\n',
    )
  })

  it('is told as JSON', async () => {
    expect(await json('set', 'doors.loopback-port', '8081')).toEqual({
      written: true,
      changed: ['doors.loopback-port'],
      restart: ['doors.loopback-port'],
      service: 'told',
    })
    expect(await json('set', 'doors.loopback-port', '8081')).toEqual({ written: false, changed: [], restart: [] })
  })

  it('is written to the audit log with who, keys and values', async () => {
    await config('set', 'vendor=A', 'names=a,b')
    expect(audited()).toMatchObject([
      {
        who: 'local',
        action: 'settings.set',
        what: { user: 'ada', settings: { vendor: 'A', names: 'a, b' } },
        result: 'success',
      },
    ])
  })

  it('does nothing more where the file says so already', async () => {
    write(FILE)
    expect(await config('set', 'names', 'default')).toBe('The settings say so already.\n')
    expect([toldOf, audited()]).toEqual([[], []])
  })

  it.each([
    [['doors.https-port', '70000'], 'doors.https-port: 70000 is out of range: 0…65535'],
    [['hostname', 'a'], 'hostname: is not a setting: did you mean host-name?'],
    [['vendor', 'My', 'Company'], 'vendor: takes one value: put it in quotes'],
    [['vendor'], 'vendor: needs a value; default removes it'],
    [['vendor=A', 'names'], '"names" is not understood: write key=value each time, or one key and its values'],
    [['vendor=A', 'vendor=B'], 'vendor is there twice: say it once'],
    [
      ['host-name=a_b', 'doors.http-port=443'],
      '\n  doors.http-port: 443 is doors.https-port too: choose another for one of them\n  host-name: "a_b" is not a host name: use letters, digits and hyphens, no hyphen at either end',
    ],
  ])('refuses %j, and changes nothing', async (words, message) => {
    write(FILE)
    await expect(config('set', ...words)).rejects.toThrow(new UsageError(message))
    expect([file(), toldOf, audited()]).toEqual([FILE, [], []])
  })

  it('refuses where the file is wrong elsewhere, with its line', async () => {
    write('nams: []\n')
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      new UsageError('settings.yaml:1: nams: is not a setting: did you mean names?'),
    )
  })

  it('waits for the end of a restore that was interrupted', async () => {
    mkdirSync(join(state, 'restore.next'))
    write('{"files":[],"removed":[]}', 'restore.next/plan.json')
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      new UsageError(`a restore into ${state} was interrupted: start the service, which completes it, or restore again`),
    )
  })

  it('says what to do where the folder is not to be written', async () => {
    rmSync(state, { recursive: true })
    state = '/proc/slotwire'
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      /: run this as the user of the service, or name its state folder with --state <dir>$/,
    )
  })
})
