import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parsePosition } from '@slotwire/contract'
import { monotonicMicroseconds, type Random, SystemClock, silentLog } from '@slotwire/core'
import { HistoryFiles, Journal, type JournalRecord } from '@slotwire/events'
import { expect } from 'vitest'
import { bundleSources } from '../../tools/build/bundle-sources.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

const sources = await bundleSources({
  core: 'packages/core/src/index.ts',
  events: 'packages/events/src/index.ts',
  access: 'apps/cli/src/state/state-access.ts',
  boot: 'apps/cli/src/state/state-access.ts',
})
/** A kill may lose what happened within this time before it. */
const LOSES_MS = 1000
/** Latest kill after the first record: some batches. */
const LATEST_KILL_MS = 2500
const MAX_SEED = 1_000_000

/** Records about every two milliseconds, at random, alerts of two pins among others, and prints each that a subscriber gets, with the time. */
const PROGRAM = `
  import { writeSync } from 'node:fs'
  const { SystemClock, seededRandom, silentLog, monotonicMicroseconds, systemWallTime } = await import('${sources.core}')
  const { HistoryFiles, Journal } = await import('${sources.events}')
  const { StateAccess } = await import('${sources.access}')
  const { nextBoot } = await import('${sources.boot}')
  const [folder, seed] = process.argv.slice(1)
  const random = seededRandom(Number(seed))
  const clock = new SystemClock()
  const state = new StateAccess({ folder, clock, log: silentLog })
  const boot = nextBoot(state, systemWallTime)
  const history = new HistoryFiles({ folder, boot, clock, log: silentLog, guard: state.guard })
  const journal = new Journal({ boot, clock, wallTime: systemWallTime, history, log: silentLog })
  const print = (line) => {
    try {
      writeSync(1, line)
    } catch {
      // The test has ended without a kill.
      process.exit(1)
    }
  }
  journal.subscribe(({ id }) => print(id + ' ' + monotonicMicroseconds() + '\\n'))
  for (let number = 0; ; number++) {
    const kind = random() < 0.5 ? 'alert' : 'device'
    journal.add(kind === 'alert' ? { kind, slot: 3, pin: number % 2 } : { kind, number, text: String(number).repeat(20) })
    await clock.sleep(random() * 4)
  }`

interface Got {
  readonly id: string
  readonly atMs: number
}

/**
 * Kills a recording process again and again, and checks the history after each kill: no half record, in order, and everything that a
 * subscriber got more than a second before the kill. Returns how many records were checked.
 */
export async function killAndCheck(kills: number, random: Random): Promise<number> {
  const folder = temporaryFolder()
  let checked = 0
  let lastBoot = 0
  for (let kill = 0; kill < kills; kill++) {
    const { got, killedMs } = await runAndKill(folder, random() * LATEST_KILL_MS, Math.floor(random() * MAX_SEED))
    const boot = parsePosition(got[0]?.id ?? '')?.boot ?? 0
    expect(boot).toBeGreaterThan(lastBoot)
    lastBoot = boot
    const kept = keptBy(got.filter(({ atMs }) => atMs < killedMs - LOSES_MS))
    checkFiles(folder)
    const missing = kept.filter(isMissingIn(readHistory(folder, boot)))
    expect(missing).toEqual([])
    checked += kept.length
  }
  return checked
}

const keptBy = (got: readonly Got[]): readonly string[] => got.map(({ id }) => id)

async function runAndKill(
  folder: string,
  delayMs: number,
  seed: number,
): Promise<{ readonly got: readonly Got[]; readonly killedMs: number }> {
  const words = ['--input-type=module', '-e', PROGRAM, folder, String(seed)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const got: Got[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [id = '', microseconds] = line.split(' ')
    if (microseconds !== undefined) got.push({ id, atMs: Number(microseconds) / 1000 })
  })
  await Promise.race([once(lines, 'line'), closed])
  await new SystemClock().sleep(delayMs)
  const killedMs = Number(monotonicMicroseconds()) / 1000
  child.kill('SIGKILL')
  await closed
  return { got, killedMs }
}

/** Every line is whole, but for the last of the current file; a line that follows half a line would not be. */
function checkFiles(folder: string): void {
  const [older, current] = ['events.1.jsonl', 'events.jsonl'].map((name) => textOf(join(folder, 'history', name)).split('\n'))
  expect(older?.at(-1)).toBe('')
  for (const line of [...(older ?? []), ...(current ?? []).slice(0, -1)]) if (line !== '') JSON.parse(line)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The records of a killed start, as the next one reads them. */
function readHistory(folder: string, boot: number): readonly JournalRecord[] {
  const clock = new SystemClock()
  const history = new HistoryFiles({ folder, boot: boot + 1, clock, log: silentLog })
  const journal = new Journal({ boot: boot + 1, clock, wallTime: () => 0, history, log: silentLog })
  const records: JournalRecord[] = []
  let at = { boot, sequence: 0 }
  while (at.boot === boot) {
    const page = journal.read(at, () => true, ['alert', 'device'])
    records.push(...page.records)
    at = page.next
  }
  const sequences = records.map(({ id }) => parsePosition(id)?.sequence ?? 0)
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b))
  for (const { number, text } of records) expect(text).toBe(typeof number === 'number' ? String(number).repeat(20) : undefined)
  return records
}

/** A record is there itself, or counted in the line of an alert that came later. */
function isMissingIn(records: readonly JournalRecord[]): (id: string) => boolean {
  const ids = new Set(records.map(({ id }) => id))
  const counted = records.filter(({ first }) => first !== undefined)
  const ranges = counted.map(
    ({ first, id }) => [parsePosition(String(first))?.sequence ?? 0, parsePosition(id)?.sequence ?? 0] as const,
  )
  return (id) => {
    const sequence = parsePosition(id)?.sequence ?? 0
    return !ids.has(id) && !ranges.some(([first, last]) => first <= sequence && sequence <= last)
  }
}
