import { orElse } from './errors.ts'
import { isRecord } from './is-record.ts'

/** Longest message in characters: a state of eight modules is far shorter. */
const MAX_MESSAGE_CHARACTERS = 1_048_576

/** A message of an event stream. */
export interface StreamMessage {
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads Server-Sent Events whose data is a JSON object, from text in any parts. */
export class EventParser {
  readonly #onMessage: (message: StreamMessage) => void
  /** An unfinished line in its parts, and their length: joined once. */
  #parts: string[] = []
  #length = 0
  #id = ''
  #data = ''

  constructor(onMessage: (message: StreamMessage) => void) {
    this.#onMessage = onMessage
  }

  /** The id of the last complete message, also of an empty one. */
  lastId = ''

  /** Throws for a message that is too long or no JSON object. */
  add(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
    if (part.includes('\n')) {
      const lines = this.#parts.join('').split(/\r\n|\n/)
      const rest = lines.pop() ?? ''
      this.#parts = [rest]
      this.#length = rest.length
      for (const line of lines) this.#take(line)
    }
    if (this.#length + this.#data.length > MAX_MESSAGE_CHARACTERS)
      throw new Error(`a message is longer than ${MAX_MESSAGE_CHARACTERS} characters`)
  }

  #take(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'id') this.#id = value
    else if (name === 'data') this.#data += value
    else if (line === '') this.#end()
  }

  #end(): void {
    const text = this.#data
    this.#data = ''
    this.lastId = this.#id
    if (text === '') return
    const data = orElse<unknown>(undefined, () => JSON.parse(text))
    if (!isRecord(data)) throw new Error('a message is no JSON object')
    this.#onMessage({ id: this.#id, data })
  }
}
