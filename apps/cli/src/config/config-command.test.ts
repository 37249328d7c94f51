import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromIsoTime } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { auditedIn, runCommand, testContext } from '../command.testkit.ts'
import type { NotifyResult } from '../run/running-service.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { configCommand } from './config-command.ts'

const NOW = fromIsoTime('2026-11-21T12:00:00.000Z')
const FILE = 'vendor: Example # ours\ndoors:\n  listen: [0.0.0.0, "::"]\nevents:\n  streams: 64\n'

let state: string
let written: { readonly printed: string; readonly hinted: string }
let result: NotifyResult
let notified: string[]
beforeEach(() => {
  state = temporaryFolder()
  result = 'notified'
  notified = []
})

const write = (text: string, name = 'settings.yaml') => writeFileSync(join(state, name), text)
const file = () => readFileSync(join(state, 'settings.yaml'), 'utf8')

/** Runs `slotwire config …` in this process. Resolves with its output. */
async function config(...words: readonly string[]): Promise<string> {
  const test = testContext(state, NOW)
  written = test.written
  const notify = (folder: string): NotifyResult => {
    notified.push(folder)
    return result
  }
  await runCommand(configCommand({ ...test.context, notify }), [...words, '--state', state])
  return written.printed
}

async function json(...words: readonly string[]): Promise<unknown> {
  const text = await config(...words, '--json')
  expect(text).toMatch(/^\{.*\}\n$/)
  return JSON.parse(text)
}

const audited = () => auditedIn(state)

describe('slotwire config get', () => {
  it('prints every setting and where it comes from', async () => {
    write(FILE)
    expect(await config('get')).toBe(
      [
        'KEY                   VALUE          FROM',
        'host-name             -              default',
        'vendor                Example        settings.yaml',
        'names                 -              default',
        'doors.port            8080           default',
        'doors.loopback-ports  -              default',
        'doors.loopback-hosts  -              default',
        'doors.listen          0.0.0.0, ::    settings.yaml',
        'doors.https-port      443            default',
        'doors.http-port       off            default',
        'doors.cors-origins    -              default',
        'proxies               -              default',
        'events.streams        64             settings.yaml',
        'paths.machine-id      /machine-id    default',
        'paths.tls-ca          /ca.pem        default',
        'discovery             auto           default',
        'pins                  -              default',
        'mqtt.broker           off            default',
        'mqtt.user             -              default',
        'mqtt.password         -              default',
        'mqtt.ca               -              default',
        'mqtt.cert             -              default',
        'mqtt.key              -              default',
        'mqtt.commands         off            default',
        'mqtt.payload          plain          default',
        'mqtt.sparkplug-group  slotwire       default',
        'mqtt.home-assistant   off            default',
        'mqtt.discovery        homeassistant  default',
        'mqtt.every-ms         1000           default',
        '',
      ].join('\n'),
    )
  })

  it('prints only the values of one setting, one per line', async () => {
    write(FILE)
    expect(await config('get', 'doors.https-port')).toBe('443\n')
    expect(await config('get', 'doors.listen')).toBe('0.0.0.0\n::\n')
    expect(await config('get', 'streams')).toBe('64\n')
    expect(await config('get', 'host-name')).toBe('')
  })

  it('shows and sets the names of pins as one map', async () => {
    write('# pins\npins:\n  3/1: { name: Lamp }\n')
    expect(await config('get', 'pins')).toBe('3/1: {"name":"Lamp"}\n')
    expect(await config('get')).toMatch(/^pins +3\/1 +settings.yaml$/m)
    await config('set', 'pins', '{"3/2": {"name": "Pump", "unit": "bar", "from": "current", "scale": [[4, 0], [20, 10]]}}')
    expect(await config('get', 'pins', '--json')).toBe(
      '{"key":"pins","value":{"3/2":{"name":"Pump","unit":"bar","from":"current","scale":[[4,0],[20,10]]}},"from":"settings.yaml"}\n',
    )
    expect(file()).toMatch(/^# pins\n/)
    await expect(config('set', 'pins', 'Lamp')).rejects.toThrow('pins is a map: write "3/1": { name: … } below it')
    await config('set', 'pins', 'off')
    expect(await config('get', 'pins')).toBe('')
  })

  it('takes the names of the options', async () => {
    write(FILE)
    for (const name of ['doors.https-port', 'https-port']) expect(await config('get', name)).toBe('443\n')
    for (const name of ['doors.port', 'port']) expect(await config('get', name)).toBe('8080\n')
    expect(await config('get', 'streams')).toBe('64\n')
    await config('set', 'listen=127.0.0.1,::1', 'streams=9', 'loopback-ports=8001,8002')
    expect(file()).toContain('listen: [127.0.0.1, ::1]\n  loopback-ports: [8001, 8002]\nevents:\n  streams: 9\n')
    await expect(config('set', 'port=1', 'doors.port=2')).rejects.toThrow('doors.port is given twice')
  })

  it('prints a group', async () =>
    expect(await config('get', 'paths')).toBe(
      'KEY               VALUE        FROM\npaths.machine-id  /machine-id  default\npaths.tls-ca      /ca.pem      default\n',
    ))

  it('prints JSON with --json', async () => {
    write(FILE)
    expect(await json('get', 'doors.listen')).toEqual({ key: 'doors.listen', value: ['0.0.0.0', '::'], from: 'settings.yaml' })
    expect(await json('get', 'host-name')).toEqual({ key: 'host-name', value: null, from: 'default' })
    expect(await json('get')).toMatchObject({ 'doors.https-port': { value: 443, from: 'default' }, vendor: { value: 'Example' } })
    expect(Object.keys((await json('get', 'doors')) as object)).toHaveLength(7)
  })

  it('refuses an unknown setting', async () => {
    await expect(config('get', 'hostname')).rejects.toThrow(
      new UsageError('"hostname" is not a setting: did you mean host-name?'),
    )
    await expect(config('get', 'vendor', 'names')).rejects.toThrow('too many arguments')
  })

  it('prints the last good settings and the mistakes of a broken file', async () => {
    write('vendor: Good\n', 'settings.last-good.yaml')
    write('vendor: Bad\nnams: []\n')
    expect(await config('get', 'vendor')).toBe('Good\n')
    expect(written.hinted).toBe(
      'slotwire: the settings file has mistakes, so the last good file applies:\n  settings.yaml:2: nams is unknown: did you mean names?\n',
    )
    expect(await json('get', 'vendor')).toMatchObject({ from: 'settings.last-good.yaml' })
    rmSync(join(state, 'settings.last-good.yaml'))
    await expect(config('get')).rejects.toThrow(new UsageError('settings.yaml:2: nams is unknown: did you mean names?'))
  })
})

describe('slotwire config set', () => {
  it('changes the file, notifies the service, and prints both', async () => {
    write(FILE)
    expect(await config('set', 'vendor', 'My Company')).toBe(
      'Changed: vendor.\nNotified the running service; its log has the result.\n',
    )
    expect(file()).toBe(FILE.replace('Example', 'My Company'))
    expect(notified).toEqual([state])
  })

  it('names the settings that need a restart', async () => {
    expect(await config('set', 'vendor=A', 'doors.port=8081')).toContain('Restart the service to apply: doors.port.\n')
    result = 'not-allowed'
    expect(await config('set', 'doors.port', '8082')).toBe(
      'Changed: doors.port.\nCould not notify the service: it does not run as you, or not as the owner of this folder. Send it SIGHUP, or restart it.\nRestart the service to apply: doors.port.\n',
    )
    result = 'not-running'
    expect(await config('set', 'doors.port', '8083')).toBe(
      'Changed: doors.port.\nNo service uses this state folder now: the service applies the change at its next start.\n',
    )
  })

  it('accepts lists as several words or with commas, and several settings at once', async () => {
    await config('set', 'names', 'a', 'b.example.com')
    await config('set', 'proxies', '10.0.0.1, 10.0.0.2')
    await config('set', 'vendor=A=B', 'doors.listen=0.0.0.0,::')
    expect(file()).toBe(
      'names: [a, b.example.com]\nproxies: [10.0.0.1, 10.0.0.2]\nvendor: A=B\ndoors:\n  listen: [0.0.0.0, "::"]\n',
    )
  })

  it('prints JSON with --json', async () => {
    expect(await json('set', 'doors.port', '8081')).toEqual({
      written: true,
      changed: ['doors.port'],
      restart: ['doors.port'],
      service: 'notified',
    })
    expect(await json('set', 'doors.port', '8081')).toEqual({ written: false, changed: [], restart: [] })
  })

  it('writes user, keys and values to the audit log', async () => {
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

  it('does nothing more if the file has these values already', async () => {
    write(FILE)
    expect(await config('set', 'names', 'default')).toBe('The settings have these values already.\n')
    expect([notified, audited()]).toEqual([[], []])
  })

  it.each([
    [['doors.https-port', '70000'], 'doors.https-port is out of range: 0…65535, not 70000'],
    [['hostname', 'a'], 'hostname is unknown: did you mean host-name?'],
    [['vendor', 'My', 'Company'], 'vendor takes one value: put it in quotes'],
    [['vendor'], 'vendor needs a value; default removes it'],
    [['vendor=A', 'names'], '"names" is invalid: write key=value for each setting, or one key and its values'],
    [['vendor=A', 'vendor=B'], 'vendor is given twice: give it once'],
    [
      ['host-name=a_b', 'doors.http-port=443'],
      '\n  doors.http-port: 443 is doors.https-port too: choose another for one of them\n  host-name is not allowed: a host name without domain: at most 63 letters, digits and inner hyphens, not "a_b"',
    ],
  ])('refuses %j, and changes nothing', async (words, message) => {
    write(FILE)
    await expect(config('set', ...words)).rejects.toThrow(new UsageError(message))
    expect([file(), notified, audited()]).toEqual([FILE, [], []])
  })

  it('refuses if the file has another mistake, with its line', async () => {
    write('nams: []\n')
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      new UsageError('settings.yaml:1: nams is unknown: did you mean names?'),
    )
  })

  it('refuses while an interrupted restore is incomplete', async () => {
    writeFileSync(join(state, 'restore.json'), '{}')
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      new UsageError(`a restore into ${state} was interrupted: start the service, which completes it, or restore again`),
    )
  })

  it('names the remedy if the folder is not writable', async () => {
    rmSync(state, { recursive: true })
    state = '/proc/slotwire'
    await expect(config('set', 'vendor', 'A')).rejects.toThrow(
      /: run this as the user of the service, or name its state folder with --state <dir>$/,
    )
  })
})
