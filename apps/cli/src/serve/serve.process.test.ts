import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { DEFAULT_LAYOUT } from '@slotwire/device/twin'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../../tests/guides/examples.testkit.ts'
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

describe('slotwire serve --rig', () => {
  const file = (text: string) => {
    const path = join(serving.state, 'rig.yaml')
    mkdirSync(serving.state, { recursive: true })
    writeFileSync(path, text)
    return path
  }
  const [guide] = blocksOf('docs/guide/bench.md').filter(({ language }) => language === 'yaml')

  it('starts the device of the guide, whose names scenarios know, and saves it as a rig that is the same', async () => {
    const { announcement, get, post } = await serving.start('--rig', file(guide?.text ?? ''), '--state', 'memory')
    expect(announcement.slots.map(({ slot, service }) => `${slot} ${service}`)).toEqual(['0 bmc', '1 power', '3 io', '6 io'])
    expect(await get('/slotwire/bench/usb')).toMatchObject({ devices: [{ slot: 4, product: 'Adapter' }] })
    const text = 'steps: [{ set: { of: pressure, volts: 12V } }, { expect: { pin: 3/1, volts: 11.. } }]'
    expect(await post('/slotwire/bench/scenario/start', { text })).toBe(200)
    await expect.poll(() => get('/slotwire/bench/scenario')).toMatchObject({ state: 'passed' })
    const saved = (await get('/slotwire/bench/rig')) as { text: string }
    const again = await serving.start('--rig', file(saved.text), '--state', 'memory')
    expect([saved.text, await again.get('/slotwire/bench/rig')]).toEqual([expect.stringContaining('"as":"pressure"'), saved])
  })

  it('names each mistake with its line, and starts nothing', async () => {
    const rig = file('steps:\n  - connect: { pin: 3/9, to: { source: 24V } }\n  - wait: 1s\n')
    expect(await serving.refusal('serve', '--hardware', 'twin', '--rig', rig)).toMatchObject({
      code: 2,
      errors: [
        'slotwire: the rig is not usable:',
        expect.stringContaining('rig.yaml:2:21: '),
        expect.stringContaining('rig.yaml:3:11: '),
      ],
    })
    const unplugged = file('steps: [{ short: 4/1 }]')
    expect((await serving.refusal('serve', '--hardware', 'twin', '--state', 'memory', '--rig', unplugged)).errors).toEqual([
      expect.stringContaining('rig.yaml:1: short: slot 4 is empty: plug a module first'),
    ])
  })
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
