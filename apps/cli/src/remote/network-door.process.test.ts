import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Announcement, SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { firstTrust } from '../client/first-trust.ts'
import { connect } from '../client.ts'

const folder = temporaryFolder()
let server: SlotwireProcess
let url: string
let token: string

const environment = () => ({ XDG_CONFIG_HOME: join(folder, 'config') })
const slotwire = (...words: readonly string[]) => new SlotwireProcess(words, { environment: environment() }).ended

beforeAll(async () => {
  const state = join(folder, 'state')
  const doors = ['--port', '0', '--listen', '127.0.0.1', '--https-port', '0']
  server = new SlotwireProcess(['serve', '--hardware', 'twin', '--json', ...doors, '--log-level', 'silent', '--state', state])
  const announced = JSON.parse(await server.firstLine()) as Announcement
  url = String(announced.networkUrls[0]).replace(/\/\/[^:/]+/, '//127.0.0.1')
  const created = await slotwire('token', 'create', '--name', 'test', '--json', '--state', state)
  token = (JSON.parse(created.output) as { token: string }).token
  writeFileSync(join(folder, 'token'), token)
})
afterAll(async () => {
  await server.remove()
})

describe('the network door', () => {
  it('is used with the authority that the user trusts, and a token', async () => {
    await expect(connect(url, { token })).rejects.toMatchObject({ kind: 'unreachable', canRetry: false })
    const { ca, fingerprint } = await firstTrust(url)
    await expect(firstTrust(url, { fingerprint: '00' })).rejects.toMatchObject({ kind: 'credentials' })
    await expect(connect(url, { ca, token: 'wrong' })).rejects.toMatchObject({ kind: 'credentials', status: 401 })
    const device = await connect(url, { ca: (await firstTrust(url, { fingerprint })).ca, token })
    const alerts = device.io(3).pin(2).alerts()
    await alerts.ready
    await device.io(3).pin(2).mode('digital')
    await device.close()
    expect(await alerts.next()).toMatchObject({ done: true })
  })

  it('lets a token run a scenario only if it may do what the scenario does', async () => {
    const { ca } = await firstTrust(url)
    const made = await slotwire('token', 'create', '--name', 'reader', '--read-only', '--json', '--state', join(folder, 'state'))
    const reading = 'steps:\n  - expect: { get: io/5/descriptor, body: { slot_number: 5 } }\n'
    const post = '  - request: { post: io/5/input/mode, body: { pin: 1, mode: digital } }\n'
    const files = {
      ca,
      reader: (JSON.parse(made.output) as { token: string }).token,
      'r.yaml': reading,
      'w.yaml': reading + post,
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const run = (file: string, tokenFile: string) => {
      const [scenario, authority, own] = [file, 'ca', tokenFile].map((name) => join(folder, name)) as [string, string, string]
      return slotwire('scenario', 'run', scenario, '--url', url, '--ca', authority, '--token-file', own, '--yes')
    }
    expect(await run('r.yaml', 'reader')).toMatchObject({ code: 0, errors: '' })
    expect(await run('w.yaml', 'reader')).toMatchObject({ code: 4, output: '' })
    expect(await run('w.yaml', 'token')).toMatchObject({ code: 0, errors: '' })
  })

  it('is saved as a context by the fingerprint of its authority', async () => {
    const { fingerprint } = await firstTrust(url)
    const trust = ['--token-file', join(folder, 'token')]
    expect(await slotwire('context', 'add', 'lab', url, ...trust, '--trust')).toMatchObject({
      code: 2,
      errors: expect.stringContaining(fingerprint) as unknown,
    })
    expect(await slotwire('context', 'add', 'lab', url, ...trust, '--fingerprint', 'AB:CD')).toMatchObject({ code: 4 })
    expect(await slotwire('context', 'add', 'lab', url, ...trust, '--fingerprint', fingerprint)).toMatchObject({ code: 0 })
    expect(await slotwire('devices')).toMatchObject({ code: 0, output: expect.stringContaining('Virtual IO') as unknown })
    expect(await slotwire('devices', '--url', url, ...trust)).toMatchObject({ code: 3 })
    writeFileSync(join(folder, 'wrong'), 'wrong')
    expect(await slotwire('devices', '--token-file', join(folder, 'wrong'))).toMatchObject({ code: 4 })
  })
})
