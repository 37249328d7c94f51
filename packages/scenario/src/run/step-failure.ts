/** Failure of a step: the expected and the actual state of the device. */
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
