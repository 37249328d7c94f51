import { fstatSync } from 'node:fs'

const LEVEL = /^\{"level":(\d+)/
/** Log levels and their syslog priorities: error, warning, info. Lower levels are for debugging. */
const PRIORITIES = [
  { level: 50, priority: 3 },
  { level: 40, priority: 4 },
  { level: 30, priority: 6 },
] as const
const DEBUG = 7

/** Whether a file descriptor is connected to the journal; systemd.exec(5), `JOURNAL_STREAM`. */
export function isJournal(environment: NodeJS.ProcessEnv, fd: number): boolean {
  const stream = environment['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return stream === `${dev}:${ino}`
}

/** The priority prefix of a line of the JSON log, which the journal reads and removes; sd-daemon(3). */
export function priorityOf(line: string): string {
  const level = Number(LEVEL.exec(line)?.[1])
  const { priority } = PRIORITIES.find((one) => level >= one.level) ?? { priority: DEBUG }
  return `<${priority}>`
}
