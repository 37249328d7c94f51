import { Listeners } from '@slotwire/core'
import {
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  isAnswerTo,
  type Question,
  type ResourceRecord,
  recordKey,
  response,
} from './dns-message.ts'
import type { Datagram } from './multicast-link.ts'
import { Outbox } from './outbox.ts'
import { namesAreFree, type ProbeContext } from './probe.ts'
import { Zone } from './zone.ts'

/** Between the two times that something new is told; RFC 6762 section 8.3. */
const ANNOUNCE_AGAIN_MS = 1000
/** Answers that others give too are spread over this time; section 6. */
const SHARED_DELAY_MS = { least: 20, spread: 100 } as const
/** Longest that a simple resolver may remember; section 6.7. */
const SIMPLE_TTL = 10
/** Types of which another host may have none of its own under our names. */
const OURS_ALONE: readonly string[] = ['A', 'AAAA', 'SRV', 'TXT']

/** What a responder needs of its context; the link is its own from then on. */
export type ResponderContext = Omit<ProbeContext, 'signal'>

/** Says on the network what is in a zone, and answers questions for it; RFC 6762. */
export class Responder {
  readonly #context: ResponderContext
  readonly #outboxes: ReadonlyMap<string, Outbox>
  readonly #conflicts = new Listeners<void>()
  readonly #stop: () => void
  readonly #closing = new AbortController()
  #zone = Zone.empty
  #silent = false

  constructor(context: ResponderContext) {
    const { link, clock } = context
    this.#context = context
    this.#outboxes = new Map(link.interfaces.map((name) => [name, new Outbox((bytes) => link.send(name, bytes), clock)]))
    this.#stop = link.listen((datagram) => this.#hear(datagram))
  }

  /** Calls `listener` when another host turns out to have one of our names. It is for the listener to `claim` anew. */
  onConflict(listener: () => void): void {
    this.#conflicts.add(listener)
  }

  /** Whether all names that a zone wants for itself are ours already. */
  owns(zone: Zone): boolean {
    return !this.#silent && zone.uniqueNames.every((name) => this.#zone.owns(name))
  }

  /**
   * Finds out whether nobody else has the names that a zone wants for itself. Nothing is answered until the next `publish`. Rejects with the
   * signal's reason when that is aborted.
   */
  claim(zone: Zone, signal: AbortSignal): Promise<boolean> {
    const { link, clock, random } = this.#context
    this.#silent = true
    return namesAreFree(zone, { link, clock, random, signal })
  }

  /** Tells the network of a zone whose names are ours, and takes back what is not in it. Resolves when it is out. */
  async publish(zone: Zone): Promise<void> {
    const before = this.#zone
    this.#zone = zone
    this.#silent = false
    await Promise.all([this.#sayGoodbye(before), this.#announce(zone)])
    const again = this.#context.clock.sleep(ANNOUNCE_AGAIN_MS, this.#closing.signal)
    again.then(() => (this.#zone === zone && !this.#silent ? this.#announce(zone) : undefined)).catch(() => undefined)
  }

  /** Takes everything back and ends. */
  async close(): Promise<void> {
    this.#stop()
    this.#closing.abort(new Error('the responder is closed'))
    for (const outbox of this.#outboxes.values()) outbox.close()
    const before = this.#zone
    this.#zone = Zone.empty
    await this.#sayGoodbye(before)
    await this.#context.link.close()
  }

  async #announce(zone: Zone): Promise<void> {
    await Promise.all([...this.#outboxes].map(([name, outbox]) => outbox.tell(zone.on(name))))
  }

  /** Only what we said ourselves is taken back: without the bit that would take back what others say under the name. */
  async #sayGoodbye(before: Zone): Promise<void> {
    const goodbyes = (name: string): readonly ResourceRecord[] =>
      before
        .on(name)
        .filter((record) => !this.#zone.says(record) && !this.#isReplaced(record, name))
        .map((record) => ({ ...record, ttl: 0, flush: false }))
    await Promise.all([...this.#outboxes].map(([name, outbox]) => outbox.tell(goodbyes(name))))
  }

  /** Whether something else is said under the same name instead: others forget the old by themselves. */
  #isReplaced(old: ResourceRecord, interfaceName: string): boolean {
    return old.flush && this.#zone.on(interfaceName).some((record) => isAnswerTo(record, old))
  }

  #hear(datagram: Datagram): void {
    const message = decodeMessage(datagram.bytes)
    if (message === undefined) return
    if (!message.response) this.#answer(message, datagram)
    else if (!datagram.simple) this.#judge(message, datagram.interfaceName)
  }

  /** Another host speaks: of our names? */
  #judge({ answers, additionals }: DnsMessage, interfaceName: string): void {
    if (this.#silent) return
    const own = new Map(this.#zone.on(interfaceName).map((record) => [recordKey(record), record]))
    for (const record of [...answers, ...additionals]) {
      const ours = own.get(recordKey(record))
      // Somebody takes back, or will soon forget, what we still say (RFC 6762 section 6.6).
      if (ours !== undefined && record.ttl < ours.ttl / 2) this.#outboxes.get(interfaceName)?.repeat(ours)
      if (OURS_ALONE.includes(record.type) && this.#zone.isContradictedBy(record)) {
        this.#silent = true
        this.#conflicts.emit()
        return
      }
    }
  }

  #answer(message: DnsMessage, datagram: Datagram): void {
    const outbox = this.#outboxes.get(datagram.interfaceName)
    if (this.#silent || outbox === undefined) return
    if (datagram.simple) {
      this.#answerSimply(message, datagram)
      return
    }
    const defends = message.authorities.length > 0
    for (const question of message.questions) {
      const answers = this.#unknownAnswers(question, message, datagram.interfaceName)
      if (answers.length === 0) continue
      const sharedDelayMs = SHARED_DELAY_MS.least + this.#context.random() * SHARED_DELAY_MS.spread
      const delayMs = answers.every(({ flush }) => flush) ? 0 : sharedDelayMs
      const additionals = this.#zone.additionalsTo(answers, datagram.interfaceName)
      const justSent = outbox.answer(answers, additionals, delayMs, { defends })
      if (question.unicast && justSent.length > 0) {
        void datagram.reply(encodeMessage(response({ answers: justSent, additionals })))
      }
    }
  }

  /** What the asker does not say to know already (RFC 6762 section 7.1). */
  #unknownAnswers(question: Question, { answers: known }: DnsMessage, interfaceName: string): readonly ResourceRecord[] {
    const remembered = new Map(known.map((record) => [recordKey(record), record.ttl]))
    return this.#zone
      .answersTo(question, interfaceName)
      .filter((record) => (remembered.get(recordKey(record)) ?? 0) < record.ttl / 2)
  }

  /** As a plain name server does: to the asker alone, with the questions. */
  #answerSimply(message: DnsMessage, datagram: Datagram): void {
    const answersTo = (question: Question) => this.#zone.answersTo(question, datagram.interfaceName)
    const questions = message.questions.filter((question) => answersTo(question).length > 0)
    if (questions.length === 0) return
    const answers = questions.flatMap(answersTo)
    const additionals = this.#zone.additionalsTo(answers, datagram.interfaceName)
    const reply = response({ id: message.id, questions, answers: answers.map(simple), additionals: additionals.map(simple) })
    void datagram.reply(encodeMessage(reply))
  }
}

/** As a simple resolver may have it. */
function simple(record: ResourceRecord): ResourceRecord {
  return { ...record, ttl: Math.min(record.ttl, SIMPLE_TTL), flush: false }
}
