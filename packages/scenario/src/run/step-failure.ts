/** Why a step failed: what was expected of the device, and what was seen instead. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly expected: string
  readonly seen: string

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, saw ${seen}`)
    this.expected = expected
    this.seen = seen
  }
}
