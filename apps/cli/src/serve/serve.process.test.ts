import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { DEFAULT_LAYOUT } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { expectRequestFinished, Serving } from './serve-process.testkit.ts'

const serving = new Serving()

it('slotwire serve --json prints one line with its URLs and the module in each slot', async () => {
  const { announcement, get } = await serving.start()
  expect(announcement.services).toEqual([...SERVICE_NAMES])
  const layout = DEFAULT_LAYOUT.map(([slot, service]) => `${slot} ${service}`).sort()
  expect(announcement.slots.map(({ slot, service }) => `${slot} ${service}`)).toEqual(layout)
  expect(announcement.stateFolder).toBe(serving.state)
  expect(await get('/slotwire/readyz')).toEqual({ status: 'success' })
})

it('a saved watchdog survives SIGKILL and an immediate restart, and --reset-state erases it', async () => {
  const first = await serving.start()
  expect(await first.post('/api/bmc/1.0/0/watchdog', { timeout: 600_000 })).toBe(200)
  expect(await first.get('/api/bmc/1.0/0/watchdog/save')).toEqual({ status: 'success' })
  await first.end('SIGKILL')
  const second = await serving.start()
  expect(await second.get('/api/bmc/1.0/0/watchdog')).toMatchObject({ timeout: 600_000 })
  await second.end('SIGTERM')
  const third = await serving.start('--reset-state')
  expect(await third.get('/api/bmc/1.0/0/watchdog')).toMatchObject({ timeout: 0 })
})

describe('slotwire serve', () => {
  it('refuses a state folder that another process uses', async () => {
    const { pid } = await serving.start()
    const second = await serving.refusal('serve', '--port', '0', '--state', serving.state)
    const remedy = 'stop it, or start this one beside it with --port <number> --state <dir>'
    expect(second).toEqual({ code: 2, output: [], errors: [expect.stringContaining(`in use by process ${pid}: ${remedy}`)] })
  })

  it.each([
    [(taken: string) => ['--port', taken], /^slotwire: port \d+ is taken: choose another with --port/],
    [() => ['--port', '0', '--listen', '203.0.113.7'], /203\.0\.113\.7 is not an address of this machine/],
  ])('creates nothing if its address cannot be had', async (typed, message) => {
    const { announcement } = await serving.start()
    const state = join(serving.state, 'new')
    const words = typed(new URL(announcement.urls[0] ?? '').port)
    const { code, errors } = await serving.refusal('serve', '--hardware', 'twin', '--state', state, ...words)
    expect([code, errors]).toEqual([2, [expect.stringMatching(message)]])
    expect(existsSync(state)).toBe(false)
  })

  it('deletes its state at its end with --state memory, which no other command takes', async () => {
    const served = await serving.start('--state', 'memory')
    const { stateFolder } = served.announcement
    expect(existsSync(join(stateFolder, 'machine-id'))).toBe(true)
    await served.end('SIGTERM')
    expect(existsSync(stateFolder)).toBe(false)
    expect(await serving.refusal('token', 'list', '--state', 'memory')).toMatchObject({
      code: 2,
      errors: [expect.stringContaining('write the path of a folder, which the service prints at its start')],
    })
  })
})

it('SIGTERM finishes the running request, then ends with code 0 within two seconds', () =>
  expectRequestFinished(serving, 'SIGTERM'))
