import { fstatSync } from 'node:fs'

const LEVEL = /^\{"level":(\d+)/
/** Levels of the log, and the priorities of syslog that they are: an error, a warning, information. What is less is for debugging. */
const PRIORITIES = [
  { level: 50, priority: 3 },
  { level: 40, priority: 4 },
  { level: 30, priority: 6 },
] as const
const DEBUG = 7

/** Whether an open file is the journal's end of a unit's output; systemd.exec(5), `JOURNAL_STREAM`. */
export function isJournal(environment: NodeJS.ProcessEnv, fd: number): boolean {
  const stream = environment['JOURNAL_STREAM']
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return stream === `${dev}:${ino}`
}

/** A line of the log as the journal understands it: with its priority in front, which the journal takes off; sd-daemon(3). */
export function withPriority(line: string): string {
  const level = Number(LEVEL.exec(line)?.[1])
  const { priority } = PRIORITIES.find((one) => level >= one.level) ?? { priority: DEBUG }
  return `<${priority}>${line}`
}
