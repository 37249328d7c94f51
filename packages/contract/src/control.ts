/** A setting of a module that one word sets and that its state shows: for systems that know only names and values. */
export interface Control {
  /** Below the module, as in `pin/1`. */
  readonly path: string
  /** The words that set it. Its value may also be another word: `pwm`. */
  readonly words: readonly string[]
  /** Whether `words` are all values of it. */
  readonly isComplete: boolean
  readonly help: string
  /** Name of the endpoint that sets it. */
  readonly endpoint: string
  /** What is sent to the endpoint for one of the words. */
  input(word: string): Readonly<Record<string, unknown>>
  /** The present value, in the module's state at `/slotwire/state`; undefined: it has none, or it is not known. */
  read(state: unknown): string | undefined
}
