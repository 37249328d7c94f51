import type { X509Certificate } from 'node:crypto'
import { type Clock, isoTime, type Log } from '@slotwire/core'
import type { StoredCertificates } from './stored-certificates.ts'
import { DAY_MS, daysLeft, validityOf } from './validity.ts'

/** Enough time to order a new certificate, or to visit every client of an authority. */
const FIRST_WARNING_DAYS = 30

/** Warns once a day before the end of certificates that are not renewed automatically: authorities and imported certificates. */
export class EndWarnings {
  readonly #clock: Clock
  readonly #log: Log
  #nextAt = Number.NEGATIVE_INFINITY

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  /** `now` in milliseconds since 1970. */
  check({ source, authority, presented }: StoredCertificates, now: number): void {
    if (this.#clock.now() < this.#nextAt) return
    const warned = [
      this.#warn(authority, now, 'authority'),
      source === 'imported' && presented !== undefined && this.#warn(presented.leaf, now, 'imported server certificate'),
    ]
    if (warned.includes(true)) this.#nextAt = this.#clock.now() + DAY_MS
  }

  #warn(certificate: X509Certificate, now: number, what: string): boolean {
    const validity = validityOf(certificate)
    const days = daysLeft(now, validity)
    if (days >= FIRST_WARNING_DAYS) return false
    const fields = { validUntil: isoTime(validity.notAfter), daysLeft: days, date: isoTime(now) }
    if (days >= 0) this.#log.warn(fields, `the ${what} ends soon: prepare a replacement (slotwire cert show)`)
    else this.#log.error(fields, `the ${what} has ended, and clients refuse it: replace it, or correct the date of this device`)
    return true
  }
}
