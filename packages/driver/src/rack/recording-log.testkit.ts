import type { Log } from '@slotwire/core'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

/** A log that stores its lines. */
export class RecordingLog implements Log {
  readonly lines: Line[] = []

  constructor(private readonly onLine: (line: Line) => void = () => undefined) {}

  debug(fields: object, message: string): void {
    this.#add({ level: 'debug', fields, message })
  }

  info(fields: object, message: string): void {
    this.#add({ level: 'info', fields, message })
  }

  warn(fields: object, message: string): void {
    this.#add({ level: 'warn', fields, message })
  }

  error(fields: object, message: string): void {
    this.#add({ level: 'error', fields, message })
  }

  #add(line: Line): void {
    this.lines.push(line)
    this.onLine(line)
  }

  linesOf(level: Line['level']): Line[] {
    return this.lines.filter((line) => line.level === level)
  }
}
