import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, silentLog } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { hostLabel, nextHostLabel } from './announcement-zone.ts'
import { DiscoveryMemory, serviceFileName } from './discovery-memory.ts'

let folder: string
let warnings: string[]
const log: Log = { ...silentLog, warn: (_fields, message) => warnings.push(message) }

beforeEach(() => {
  folder = temporaryFolder()
  warnings = []
})

const memory = () => new DiscoveryMemory(folder, log)
const file = () => join(folder, 'discovery.json')

describe('DiscoveryMemory', () => {
  it('stores the name used instead of the preferred one, in a readable file', () => {
    expect(memory().hostNameFor('press-4')).toBe('press-4')
    memory().rememberHostName('press-4', 'press-4-2')
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ preferredName: 'press-4', hostName: 'press-4-2' })
    expect([memory().hostNameFor('press-4'), memory().hostNameFor('line-3')]).toEqual(['press-4-2', 'line-3'])
  })

  it('forgets the name when the preferred one was free', () => {
    memory().rememberHostName('press-4', 'press-4-2')
    memory().rememberHostName('press-4', 'press-4')
    expect(memory().hostNameFor('press-4')).toBe('press-4')
  })

  it('writes no file if there is nothing to store', () => {
    memory().rememberHostName('press-4', 'press-4')
    expect(existsSync(file())).toBe(false)
  })

  it("stores the paths of avahi's files and removes the files", () => {
    const given = ['io-module', 'power-module'].map((name) => join(folder, serviceFileName(name)))
    for (const path of given) writeFileSync(path, '')
    const first = memory()
    first.rememberHostName('press-4', 'press-4-2')
    first.rememberServiceFiles(given)
    const next = memory()
    next.removeServiceFiles(given.slice(1))
    expect(given.map((path) => existsSync(path))).toEqual([false, true])
    next.removeServiceFiles()
    expect(given.map((path) => existsSync(path))).toEqual([false, false])
    expect([memory().serviceFiles, memory().hostNameFor('press-4')]).toEqual([[], 'press-4-2'])
  })

  it('keeps the path of a file that could not be removed, and logs a warning', () => {
    const stubborn = join(folder, serviceFileName('io-module'))
    mkdirSync(join(stubborn, 'in the way'), { recursive: true })
    const first = memory()
    first.rememberServiceFiles([stubborn])
    first.removeServiceFiles()
    expect(memory().serviceFiles).toEqual([stubborn])
    expect(warnings).toEqual(['avahi still announces a service that has stopped: remove the file'])
  })

  it('never removes another file, even if its own file names it', () => {
    const other = join(folder, 'ssh.service')
    writeFileSync(other, '')
    writeFileSync(file(), JSON.stringify({ serviceFiles: [other, 7] }))
    const wary = memory()
    wary.removeServiceFiles()
    expect([wary.serviceFiles, existsSync(other)]).toEqual([[], true])
  })

  it.each([
    '',
    '[',
    '"x"',
    'null',
    '{"preferredName": 4, "hostName": "x", "serviceFiles": [1]}',
    '{"preferredName": "press-4", "hostName": "not a name"}',
  ])('ignores the file content %j', (text) => {
    writeFileSync(file(), text)
    expect([memory().hostNameFor('press-4'), memory().serviceFiles]).toEqual(['press-4', []])
  })

  it('works without its file if that cannot be written', () => {
    const nowhere = join(folder, 'a file')
    writeFileSync(nowhere, '')
    const forgetful = new DiscoveryMemory(nowhere, log)
    forgetful.rememberHostName('press-4', 'press-4-2')
    expect(forgetful.hostNameFor('press-4')).toBe('press-4-2')
    expect(warnings.at(-1)).toBe('the announced host name cannot be stored')
  })
})

const LONG = 'x'.repeat(63)

it.each([
  ['press-4', 'press-4'],
  ['Press-4.example.com', 'Press-4'],
  ['line 3_b', 'line-3-b'],
  ['-press-', 'press'],
  ['日本', 'slotwire'],
  ['', 'slotwire'],
  [`${LONG}y`, LONG],
])('hostLabel turns %j into %j', (preferred, label) => expect(hostLabel(preferred)).toBe(label))

it.each([
  ['press', 'press', 'press-2'],
  ['press', 'press-2', 'press-3'],
  ['press', 'press-9', 'press-10'],
  ['press-4', 'press-4', 'press-4-2'],
  ['press-4', 'press-4-2', 'press-4-3'],
  ['press', 'press-9999', 'press'],
  [LONG, LONG, `${'x'.repeat(61)}-2`],
  [LONG, `${'x'.repeat(61)}-9`, `${'x'.repeat(60)}-10`],
  [`${'x'.repeat(60)}-yz`, `${'x'.repeat(60)}-yz`, `${'x'.repeat(60)}-2`],
])('nextHostLabel prefers %s, finds %s taken and tries %s', (preferred, taken, next) =>
  expect(nextHostLabel(preferred, taken)).toBe(next),
)
