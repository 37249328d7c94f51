/** A place in the journal: that of a record, or of the start of a run (`sequence` 0). */
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

/** The position of an id; undefined for any other text. */
export function parsePosition(id: string): Position | undefined {
  const [, boot, sequence] = POSITION.exec(id) ?? []
  return boot === undefined || sequence === undefined ? undefined : { boot: Number(boot), sequence: Number(sequence) }
}

/** Below 0 if the first is before the second, 0 if they are the same. */
export function comparePositions(first: Position, second: Position): number {
  return first.boot - second.boot || first.sequence - second.sequence
}
