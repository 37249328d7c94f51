/** A place in the journal of a device: that of a record, or of the start of a run (`sequence` 0). */
export interface Position {
  /** Grows with every start of the process. */
  readonly boot: number
  /** Grows by one with every record. */
  readonly sequence: number
}

const POSITION = /^([1-9]\d{0,14})-(0|[1-9]\d{0,14})$/

/** `<boot>-<sequence>`, the id of a record. */
export function formatPosition({ boot, sequence }: Position): string {
  return `${boot}-${sequence}`
}

/** The position of an id; undefined for anything else. */
export function parsePosition(id: unknown): Position | undefined {
  const [, boot, sequence] = POSITION.exec(String(id)) ?? []
  return boot === undefined ? undefined : { boot: Number(boot), sequence: Number(sequence) }
}

/** Below 0 if the first is before the second, 0 if they are the same. */
export function comparePositions(first: Position, second: Position): number {
  return first.boot - second.boot || first.sequence - second.sequence
}

/** Whether a record is before another one, by their ids. What is no id is before each. */
export function isBefore(id: unknown, other: unknown): boolean {
  const begin = { boot: 0, sequence: 0 }
  return comparePositions(parsePosition(id) ?? begin, parsePosition(other) ?? begin) < 0
}
