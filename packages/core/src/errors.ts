/** The types of details in a message. */
type Detail = string | number

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never

/** One row of an error table: what a client sees, and whether the same request may succeed later. */
export interface ErrorDefinition {
  /** Kebab-case name, for logs and docs. */
  readonly code: string
  /** HTTP status, as in the status table of behaviour.md. */
  readonly status: number
  /** What is wrong and the remedy; `{name}` is a placeholder. */
  readonly message: string
  /** Whether the same request may succeed when repeated unchanged. */
  readonly retryable: boolean
  /** Details of an example of its message, by placeholder. */
  readonly example: Readonly<Record<string, string>>
}

export interface SlotwireErrorOptions extends ErrorOptions {
  readonly hint?: string
}

/** Base of all errors that are meant for a client. */
export class SlotwireError extends Error {
  override readonly name = 'SlotwireError'
  readonly definition: ErrorDefinition
  /** What to do, in ASCII and in words of this server alone: no text of the client. */
  readonly hint: string | undefined

  constructor(definition: ErrorDefinition, message: string, options: SlotwireErrorOptions = {}) {
    super(message, options)
    this.definition = definition
    this.hint = options.hint
  }

  get status(): number {
    return this.definition.status
  }

  get code(): string {
    return this.definition.code
  }
}

/** A row in a table. Its code follows from its name: that of `slotNotUsable` is `slot-not-usable`. */
interface ErrorRow extends Pick<ErrorDefinition, 'status' | 'message'> {
  /** Default false. */
  readonly retryable?: boolean
  /** Default: what the default twin has for a placeholder of that name. */
  readonly example?: Readonly<Record<string, string>>
}

type Factory<Row extends ErrorRow> = {
  /** Makes the error; every placeholder of its message is required. */
  (
    ...details: [PlaceholderOf<Row['message']>] extends [never]
      ? [options?: SlotwireErrorOptions]
      : [details: Record<PlaceholderOf<Row['message']>, Detail>, options?: SlotwireErrorOptions]
  ): SlotwireError
  readonly definition: ErrorDefinition
}

export type ErrorTable<Rows extends Record<string, ErrorRow>> = { readonly [Name in keyof Rows]: Factory<Rows[Name]> }

/**
 * Turns rows into functions that make the errors: `throw coreErrors.slotNotUsable({ slot: 3, service: 'io' })`. `prefix` is put before
 * their codes.
 */
export function defineErrors<const Rows extends Record<string, ErrorRow>>(rows: Rows, prefix = ''): ErrorTable<Rows> {
  const entries = Object.entries(rows).map(([name, { status, message: text, retryable = false, example = {} }]) => {
    const code = prefix + name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const definition: ErrorDefinition = { code, status, message: text, retryable, example }
    const hasDetails = text.includes('{')
    const make = (first?: Record<string, Detail> | SlotwireErrorOptions, second?: SlotwireErrorOptions): SlotwireError => {
      const details: Record<string, unknown> = hasDetails ? { ...first } : {}
      const message = text.replace(/\{(\w+)\}/g, (_, key: string) => String(details[key]))
      return new SlotwireError(definition, message, hasDetails ? second : first)
    }
    return [name, Object.assign(make, { definition })]
  })
  return Object.fromEntries(entries) as ErrorTable<Rows>
}

/** The rows of a table, for docs and tests. */
export function errorDefinitions(table: Readonly<Record<string, { readonly definition: ErrorDefinition }>>): ErrorDefinition[] {
  return Object.values(table).map((factory) => factory.definition)
}

/** The system's code of an error: `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The result of `call`; `otherwise` if it throws. */
export function orElse<Result>(otherwise: Result, call: () => Result): Result {
  try {
    return call()
  } catch {
    return otherwise
  }
}

/**
 * The errors that endpoints of the contract name themselves; a part of `coreErrors`. Apart, so that a client in a browser does not load the
 * texts of all others.
 */
export const endpointErrors = defineErrors({
  serviceNotGranted: {
    status: 403,
    message: 'this access token is limited to {services}: use a token for this service',
  },
  invalidField: { status: 422, message: '{reason}', example: { reason: 'duration is out of range: 1…1000 ms, not 1500' } },
  descriptorNotRead: { status: 500, message: 'the descriptor of the module in slot {slot} could not be read', retryable: true },
  deviceRestarting: { status: 502, message: 'the device is restarting: try again in a few seconds', retryable: true },
  streamsTaken: {
    status: 503,
    message: 'all {limit} event streams are in use: close one, or try again later',
    retryable: true,
  },
  starting: { status: 503, message: 'the service is starting: the modules have not been checked yet', retryable: true },
  stopping: { status: 503, message: 'the service is stopping', retryable: true },
})
