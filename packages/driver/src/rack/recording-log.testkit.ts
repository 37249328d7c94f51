import type { Log } from '@slotwire/core'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly message: string
}

/** A log that stores its lines. */
export class RecordingLog implements Log {
  readonly lines: Line[] = []

  readonly debug = this.#to('debug')
  readonly info = this.#to('info')
  readonly warn = this.#to('warn')
  readonly error = this.#to('error')

  constructor(private readonly onLine: (line: Line) => void = () => undefined) {}

  #to(level: Line['level']) {
    return (fields: object, message: string): void => {
      const line = { level, fields, message }
      this.lines.push(line)
      this.onLine(line)
    }
  }

  linesOf(level: Line['level']): Line[] {
    return this.lines.filter((line) => line.level === level)
  }
}
