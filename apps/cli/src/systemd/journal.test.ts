import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isJournal, priorityOf } from '../terminal/standard-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'slotwire journal '))
const fd = openSync(join(folder, 'stderr'), 'w')
afterAll(() => {
  closeSync(fd)
  rmSync(folder, { recursive: true })
})

describe('the journal', () => {
  it('is recognised by JOURNAL_STREAM, and not if the output was redirected', () => {
    const { dev, ino } = fstatSync(fd)
    expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, fd)).toBe(true)
    expect(isJournal({ JOURNAL_STREAM: `${dev}:${ino + 1}` }, fd)).toBe(false)
    expect(isJournal({ JOURNAL_STREAM: 'nonsense' }, fd)).toBe(false)
    expect(isJournal({}, fd)).toBe(false)
  })

  it.each([
    [50, 3],
    [60, 3],
    [40, 4],
    [30, 6],
    [20, 7],
  ])('gets a line of level %i with priority %i', (level, priority) =>
    expect(priorityOf(`{"level":${level},"msg":"x"}\n`)).toBe(`<${priority}>`),
  )
})
