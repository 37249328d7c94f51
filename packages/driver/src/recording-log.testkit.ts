import type { Log } from '@slotwire/core'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

/** Keeps what is logged. */
export class RecordingLog implements Log {
  readonly lines: Line[] = []

  debug(fields: object, message: string): void {
    this.lines.push({ level: 'debug', fields, message })
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: 'info', fields, message })
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: 'warn', fields, message })
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: 'error', fields, message })
  }

  at(level: Line['level']): Line[] {
    return this.lines.filter((line) => line.level === level)
  }
}
