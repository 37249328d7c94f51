import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock, silentLog } from '@slotwire/core'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { nextBoot, RETRY_MS, StateAccess } from './state-access.ts'

const DATE_SECONDS = 1_795_262_400

let folder: string
let clock: ManualClock
beforeEach(() => {
  folder = temporaryFolder()
  clock = new ManualClock()
})

const inFile = (): string => readFileSync(join(folder, 'boot'), 'utf8')

/** A start of a service with this state folder; `isFull`: its disk is full at that moment. */
function start({ isFull = false } = {}) {
  const disk = { isFull }
  const access = new StateAccess({ folder, clock, log: silentLog })
  access.prepare(() => {
    if (disk.isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  })
  return { disk, access, boot: nextBoot(access, () => DATE_SECONDS * 1000 + 500) }
}

it.each([
  ['the first start', undefined, '', 1],
  ['a start after seven', '7\n', '', 8],
  ['a start with a damaged number', '7', '', 1],
  ['a start with a history that goes further', '7\n', '{"id":"41-5","mark":"end"}\n{"id":"42', 42],
])('%s has a number of its own, which is stored', (_, stored, history, boot) => {
  if (stored !== undefined) writeFileSync(join(folder, 'boot'), stored)
  mkdirSync(join(folder, 'history'))
  writeFileSync(join(folder, 'history', 'events.jsonl'), history)
  const started = start()
  expect([started.boot, inFile()]).toEqual([boot, `${boot}\n`])
  started.access.close()
})

it('is the date in seconds for a device that was restored: its numbers were higher than those of the new card', () => {
  writeFileSync(join(folder, 'machine-id'), `${'a'.repeat(32)}\n`)
  const { boot, access } = start()
  expect([boot, inFile()]).toEqual([DATE_SECONDS, `${DATE_SECONDS}\n`])
  access.close()
})

it('is the date in seconds while the disk is full, and is stored when it can be', async () => {
  writeFileSync(join(folder, 'boot'), '7\n')
  const { boot, disk, access } = start({ isFull: true })
  expect([boot, inFile()]).toEqual([DATE_SECONDS, '7\n'])
  disk.isFull = false
  await clock.advance(RETRY_MS)
  expect(inFile()).toBe(`${DATE_SECONDS}\n`)
  access.close()
  const next = start()
  expect(next.boot).toBe(DATE_SECONDS + 1)
  next.access.close()
})
