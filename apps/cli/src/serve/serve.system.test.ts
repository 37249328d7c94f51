import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectBacklogAnswered, expectEndInTime, Serving } from './serve-process.testkit.ts'

const serving = new Serving()

it('slotwire serve --services serves only one service', async () => {
  const { announcement, url } = await serving.start('--services', 'io')
  expect(announcement.slots.map(({ slot }) => slot)).toEqual([3, 5])
  expect((await fetch(`${url}/api/io/`)).status).toBe(200)
  expect((await fetch(`${url}/api/bmc/`)).status).toBe(404)
})

describe('slotwire serve', () => {
  it('erases nothing if it cannot start, even with --reset-state', async () => {
    const { url, get, post } = await serving.start()
    expect(await post('/api/bmc/1.0/0/watchdog/sw_shutdown_timeout', { timeout: 12_345 })).toBe(200)
    const other = join(serving.state, 'other')
    cpSync(join(serving.state, 'twin'), join(other, 'twin'), { recursive: true })
    const { code } = await serving.refusal('serve', '--port', new URL(url).port, '--state', other, '--reset-state')
    expect(code).toBe(2)
    expect(readFileSync(join(other, 'twin', 'slot-0.json'), 'utf8')).toContain('12345')
    expect(await get('/api/bmc/1.0/0/watchdog')).toMatchObject({ shutdown_timeout: 12_345 })
  })

  it('refuses an unknown option or command with one line', async () => {
    const refused = (word: string) => ({ code: 2, output: [], errors: [expect.stringContaining(`'${word}'`) as unknown] })
    expect(await serving.refusal('serve', '--prot', '0')).toEqual(refused('--prot'))
    expect(await serving.refusal('sevre')).toEqual(refused('sevre'))
  })
})

it('SIGTERM answers requests that have arrived but were not accepted yet', () => expectBacklogAnswered(serving))

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('ends within two seconds even if a client never ends its request', () => expectEndInTime(serving, signal))
})
