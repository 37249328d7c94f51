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
import type { Datagram } from './open-link.ts'
import { Outbox } from './outbox.ts'
import { namesAreFree, type ProbeContext } from './probe.ts'
import { Zone } from './zone.ts'

/** Time between the two announcements; RFC 6762 section 8.3. */
const ANNOUNCE_AGAIN_MS = 1000
/** Spreads responses that other hosts may send too; section 6. */
const SHARED_DELAY_MS = { least: 20, spread: 100 } as const
/** Largest TTL for a legacy resolver; section 6.7. */
const LEGACY_TTL = 10
/** Types that no other host may use under this host's names. */
const UNIQUE_TYPES: readonly string[] = ['A', 'AAAA', 'SRV', 'TXT']

/** Context of a responder, which then owns the link. */
export type ResponderContext = Omit<ProbeContext, 'signal'>

/** Publishes the records of a zone and answers queries for them; RFC 6762. */
export class Responder {
  readonly #outboxes: ReadonlyMap<string, Outbox>
  readonly #conflicts = new Listeners<void>()
  readonly #stop: () => void
  readonly #closing = new AbortController()
  #zone = Zone.empty
  #isPaused = false

  constructor(private readonly context: ResponderContext) {
    const { link, clock } = context
    this.#outboxes = new Map(link.interfaces.map((name) => [name, new Outbox((bytes) => link.send(name, bytes), clock)]))
    this.#stop = link.listen((datagram) => this.#receive(datagram))
  }

  /** Calls `listener` if another host has one of the names. The listener must call `claim` again. */
  onConflict(listener: () => void): void {
    this.#conflicts.add(listener)
  }

  /** Whether all unique names of a zone are published already. */
  owns(zone: Zone): boolean {
    return !this.#isPaused && zone.uniqueNames.every((name) => this.#zone.owns(name))
  }

  /** Probes whether the unique names of a zone are free; pauses until the next `publish`. Rejects if the signal is aborted. */
  claim(zone: Zone, signal: AbortSignal): Promise<boolean> {
    this.#isPaused = true
    return namesAreFree(zone, { ...this.context, signal })
  }

  /** Announces a zone whose names are claimed, and withdraws the other records. Resolves when both have been sent. */
  async publish(zone: Zone): Promise<void> {
    const before = this.#zone
    this.#zone = zone
    this.#isPaused = false
    await Promise.all([this.#sayGoodbye(before), this.#announce(zone)])
    const again = this.context.clock.sleep(ANNOUNCE_AGAIN_MS, this.#closing.signal)
    again.then(() => (this.#zone === zone && !this.#isPaused ? this.#announce(zone) : undefined)).catch(() => undefined)
  }

  /** Withdraws all records and closes the link. */
  async close(): Promise<void> {
    this.#stop()
    this.#closing.abort(new Error('the responder is closed'))
    for (const outbox of this.#outboxes.values()) outbox.close()
    const before = this.#zone
    this.#zone = Zone.empty
    await this.#sayGoodbye(before)
    await this.context.link.close()
  }

  async #announce(zone: Zone): Promise<void> {
    await Promise.all([...this.#outboxes].map(([name, outbox]) => outbox.sendNow(zone.on(name))))
  }

  /** Withdraws only this host's records: without the cache-flush bit, which would withdraw those of other hosts too. */
  async #sayGoodbye(before: Zone): Promise<void> {
    const goodbyes = (name: string): readonly ResourceRecord[] =>
      before
        .on(name)
        .filter((record) => !this.#zone.has(record) && !this.#isReplaced(record, name))
        .map((record) => ({ ...record, ttl: 0, flush: false }))
    await Promise.all([...this.#outboxes].map(([name, outbox]) => outbox.sendNow(goodbyes(name))))
  }

  /** Whether a new record of the same name and type replaces the old one: caches then drop it on their own. */
  #isReplaced(old: ResourceRecord, interfaceName: string): boolean {
    return old.flush && this.#zone.on(interfaceName).some((record) => isAnswerTo(record, old))
  }

  #receive(datagram: Datagram): void {
    const message = decodeMessage(datagram.bytes)
    if (message === undefined) return
    if (!message.response) this.#answer(message, datagram)
    else if (!datagram.isLegacy) this.#checkConflict(message, datagram.interfaceName)
  }

  /** Checks a response of another host for conflicts. */
  #checkConflict({ answers, additionals }: DnsMessage, interfaceName: string): void {
    if (this.#isPaused) return
    const own = new Map(this.#zone.on(interfaceName).map((record) => [recordKey(record), record]))
    for (const record of [...answers, ...additionals]) {
      const ours = own.get(recordKey(record))
      // Another host withdraws a record that is still valid, or shortens its TTL (RFC 6762 section 6.6).
      if (ours !== undefined && record.ttl < ours.ttl / 2) this.#outboxes.get(interfaceName)?.repeat(ours)
      if (UNIQUE_TYPES.includes(record.type) && this.#zone.isContradictedBy(record)) {
        this.#isPaused = true
        this.#conflicts.emit()
        return
      }
    }
  }

  #answer(message: DnsMessage, datagram: Datagram): void {
    const outbox = this.#outboxes.get(datagram.interfaceName)
    if (this.#isPaused || outbox === undefined) return
    if (datagram.isLegacy) {
      this.#answerLegacy(message, datagram)
      return
    }
    const defends = message.authorities.length > 0
    for (const question of message.questions) {
      const answers = this.#unknownAnswers(question, message, datagram.interfaceName)
      if (answers.length === 0) continue
      const sharedDelayMs = SHARED_DELAY_MS.least + this.context.random() * SHARED_DELAY_MS.spread
      const delayMs = answers.every(({ flush }) => flush) ? 0 : sharedDelayMs
      const additionals = this.#zone.additionalsTo(answers, datagram.interfaceName)
      const justSent = outbox.answer(answers, additionals, delayMs, { defends })
      if (question.unicast && justSent.length > 0) {
        void datagram.reply(encodeMessage(response({ answers: justSent, additionals })))
      }
    }
  }

  /** Omits known answers (RFC 6762 section 7.1). */
  #unknownAnswers(question: Question, { answers: known }: DnsMessage, interfaceName: string): readonly ResourceRecord[] {
    const remembered = new Map(known.map((record) => [recordKey(record), record.ttl]))
    return this.#zone
      .answersTo(question, interfaceName)
      .filter((record) => (remembered.get(recordKey(record)) ?? 0) < record.ttl / 2)
  }

  /** Responds like a conventional name server: by unicast, with the questions. */
  #answerLegacy(message: DnsMessage, datagram: Datagram): void {
    const answersTo = (question: Question) => this.#zone.answersTo(question, datagram.interfaceName)
    const questions = message.questions.filter((question) => answersTo(question).length > 0)
    if (questions.length === 0) return
    const answers = questions.flatMap(answersTo)
    const additionals = this.#zone.additionalsTo(answers, datagram.interfaceName)
    const reply = response({
      id: message.id,
      questions,
      answers: answers.map(legacyRecord),
      additionals: additionals.map(legacyRecord),
    })
    void datagram.reply(encodeMessage(reply))
  }
}

/** The form of a record for a legacy resolver. */
function legacyRecord(record: ResourceRecord): ResourceRecord {
  return { ...record, ttl: Math.min(record.ttl, LEGACY_TTL), flush: false }
}
