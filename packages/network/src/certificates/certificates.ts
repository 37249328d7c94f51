import type { X509Certificate } from 'node:crypto'
import { type Clock, isoTime, Listeners, type Log, Mutex, type Timer, type WallTime } from '@slotwire/core'
import type { ServerCertificate } from '@slotwire/edge'
import type { MetricFamily } from '@slotwire/service'
import type { WriteGuard } from '@slotwire/storage'
import type { AuditLog } from '../audit/audit-log.ts'
import { describeCertificate } from './certificate-description.ts'
import { type CertificateNames, checkedNames, namesNotCovered, namesOf, sameNames } from './names.ts'
import { certificatesToPem } from './pem.ts'
import { CertificateStore, type PresentedCertificate, type StoredCertificates } from './stored-certificates.ts'
import { DAY_MS, daysLeft, reasonToRenew, validityOf } from './validity.ts'

export interface CertificatesOptions {
  /** `certificatesFolder(state)`. */
  readonly folder: string
  readonly wallTime: WallTime
  readonly clock: Clock
  readonly log: Log
  /** Names the authority: host name and short machine id, `line-3 1f2e3d4c`. */
  readonly deviceName: string
  /** Records changes that the service makes on its own: a new authority, renewed certificates. */
  readonly audit?: AuditLog
  readonly guard?: WriteGuard | undefined
}

const MS_PER_SECOND = 1000
/** Interval of checks: the date may jump, and names may change. */
const CHECK_MS = 60_000
/** Delay after a failed renewal. */
const RETRY_MS = 600_000

/**
 * The server certificate that a device presents to TLS clients: imported, or signed by the device's own authority and renewed
 * automatically. The authority is created at the first start. All changes run one after another.
 */
export class Certificates {
  readonly #mutex = new Mutex()
  readonly #renewed: Listeners<ServerCertificate>
  readonly #endWarnings: EndWarnings
  /** Kept even if its file is lost. */
  #presented: PresentedCertificate | undefined
  /** Undefined until `use` is called. */
  #names: (() => CertificateNames) | undefined
  #timer: Timer | undefined
  #retryAt = Number.NEGATIVE_INFINITY
  /** Names not covered by the imported certificate, as last logged. */
  #warnedNames = ''
  #renewals = 0
  #failures = 0
  #closed = false

  private constructor(
    private readonly options: CertificatesOptions,
    private readonly store: CertificateStore,
    /** Content of the files when last read. */
    private stored: StoredCertificates,
  ) {
    this.#presented = stored.presented
    this.#endWarnings = new EndWarnings(options)
    this.#renewed = new Listeners((error) =>
      options.log.error({ err: error }, 'a certificate was renewed, but a listener failed to use it'),
    )
  }

  /**
   * Reads the files, and creates the authority if none exists. Only for the process that holds the lock on the state folder. Throws
   * `OperatorError` for files that are broken or cannot be written.
   */
  static async open(options: CertificatesOptions): Promise<Certificates> {
    const store = new CertificateStore(options.folder, options.guard)
    return new Certificates(options, store, await openStore(store, options))
  }

  /** Ends of the certificates, renewals and failures; a `MetricSource`. */
  readonly metrics = (): readonly MetricFamily[] => {
    const { source, authority } = this.stored
    const certificates = Object.entries({ authority, server: this.#presented?.leaf })
    return [
      {
        name: 'slotwire_certificate_not_after_timestamp_seconds',
        help: 'When the certificate ends, in seconds since 1970.',
        type: 'gauge',
        samples: certificates.flatMap(([certificate, x509]) =>
          x509 === undefined ? [] : [{ labels: { certificate, source }, value: validityOf(x509).notAfter / MS_PER_SECOND }],
        ),
      },
      {
        name: 'slotwire_certificate_renewals_total',
        help: 'Server certificates that this device created since its start.',
        type: 'counter',
        samples: [{ value: this.#renewals }],
      },
      {
        name: 'slotwire_certificate_renewal_failures_total',
        help: 'Failed attempts to create a server certificate since the device started.',
        type: 'counter',
        samples: [{ value: this.#failures }],
      },
    ]
  }

  /** The certificates in use, for display. `server` is undefined if the device has not made one yet. */
  get described() {
    const { source, authority } = this.stored
    const now = this.options.wallTime()
    const leaf = this.#presented?.leaf
    return {
      source,
      authority: describeCertificate(authority, now),
      server: leaf === undefined ? undefined : describeCertificate(leaf, now),
    }
  }

  /** PEM of the authority that clients must trust. */
  get authorityPem(): string {
    return certificatesToPem([this.stored.authority])
  }

  /** The certificate that servers present now; undefined until `use` succeeds for the first time. */
  get current(): ServerCertificate | undefined {
    return this.#presented?.material
  }

  /**
   * Keeps a certificate for these names from now on, and resolves with it; a function is called again every minute. If a renewal fails, the
   * present certificate stays in use and the renewal is tried again. Throws `OperatorError` for invalid names, or if there is no
   * certificate at all.
   */
  async use(names: CertificateNames | (() => CertificateNames)): Promise<ServerCertificate> {
    const wanted = typeof names === 'function' ? names : () => names
    checkedNames(wanted())
    return this.#mutex.run(async () => {
      this.#names = wanted
      this.#retryAt = Number.NEGATIVE_INFINITY
      const failure = await this.#renewIfDue()
      this.#warnOfNames()
      this.#scheduleCheck()
      if (this.current === undefined) throw failure
      return this.current
    })
  }

  /** Calls `listener` with each new certificate until the returned function is called. */
  onRenewed(listener: (certificate: ServerCertificate) => void): () => void {
    return this.#renewed.add(listener)
  }

  /** Reads the files again after another process changed them. Never throws: logs broken files and keeps the present ones. */
  async reload(): Promise<void> {
    await this.#mutex.run(async () => {
      if (this.#closed) return
      try {
        await this.#readStored()
        await this.#renewIfDue()
        this.#warnOfNames()
      } catch (error) {
        this.options.log.error({ err: error }, 'the certificates cannot be read: those in use are kept')
      }
    })
  }

  /** Waits for pending writes and stops all renewals. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#mutex.run(async () => this.#timer?.cancel())
  }

  #scheduleCheck(): void {
    this.#timer?.cancel()
    this.#timer = this.options.clock.after(CHECK_MS, () => {
      void this.#mutex.run(async () => {
        if (this.#closed) return
        await this.#renewIfDue()
        this.#scheduleCheck()
      })
    })
  }

  /** Renews the certificate if that is due. Never throws; a failure is logged, counted and returned. */
  async #renewIfDue(): Promise<unknown> {
    const { clock, wallTime, log, audit } = this.options
    this.#endWarnings.check(this.stored, wallTime())
    if (clock.now() < this.#retryAt) return undefined
    try {
      if (this.#reasonToRenew() === undefined) return undefined
      // Another process may have renewed it already.
      await this.#readStored()
      const reason = this.#reasonToRenew()
      if (reason === undefined) return undefined
      const { leaf } = await this.store.renew(wallTime(), this.#names?.())
      await this.#readStored()
      this.#renewals++
      const { names, validUntil, fingerprint } = describeCertificate(leaf, wallTime())
      log.info({ reason, names, validUntil, fingerprint }, 'a new server certificate is in use')
      audit?.add({ who: 'service', action: 'certificate.renew', what: { reason, fingerprint, validUntil }, result: 'success' })
      return undefined
    } catch (error) {
      this.#retryAt = clock.now() + RETRY_MS
      this.#failures++
      log.error({ err: error }, 'the server certificate could not be renewed: the next attempt is in ten minutes')
      return error
    }
  }

  #reasonToRenew(): string | undefined {
    const { source, presented, authority } = this.stored
    if (source === 'imported' || this.#names === undefined) return undefined
    if (presented === undefined) return 'no certificate exists yet'
    if (!sameNames(namesOf(presented.leaf), checkedNames(this.#names()))) return 'the names of the device changed'
    return reasonToRenew(this.options.wallTime(), validityOf(presented.leaf), validityOf(authority))
  }

  async #readStored(): Promise<void> {
    const before = this.#presented
    this.stored = await openStore(this.store, this.options)
    const { presented } = this.stored
    if (presented === undefined) return
    this.#presented = presented
    const { cert, key } = presented.material
    // Compare the whole chain: an import may have added a missing intermediate certificate.
    if (before !== undefined && (cert !== before.material.cert || key !== before.material.key))
      this.#renewed.emit(presented.material)
  }

  #warnOfNames(): void {
    const { source, presented } = this.stored
    if (source === 'own' || presented === undefined || this.#names === undefined) return
    const names = namesNotCovered(presented.leaf, this.#names())
    const text = names.join()
    if (text !== '' && text !== this.#warnedNames)
      this.options.log.warn({ names }, 'the imported certificate is not valid for all names of this device')
    this.#warnedNames = text
  }
}

async function openStore(store: CertificateStore, options: CertificatesOptions): Promise<StoredCertificates> {
  const { deviceName, wallTime, log, audit } = options
  const { made, madePrivate, ...stored } = await store.open(deviceName, wallTime())
  for (const path of madePrivate)
    log.warn({ path }, 'others could read this private key: its permissions now allow only its owner')
  if (made) {
    const { fingerprint, subject } = describeCertificate(stored.authority, wallTime())
    log.info({ fingerprint }, 'a certificate authority for this device was created: clients must trust it')
    audit?.add({ who: 'service', action: 'certificate.authority', what: { subject, fingerprint }, result: 'success' })
  }
  if (stored.fault !== undefined) log.warn({ err: stored.fault }, 'the server certificate cannot be used: a new one will be made')
  return stored
}

/** Enough time to order a new certificate, or to visit every client of an authority. */
const FIRST_WARNING_DAYS = 30

/** Warns once a day before the end of certificates that are not renewed automatically: authorities and imported certificates. */
export class EndWarnings {
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: Pick<CertificatesOptions, 'clock' | 'log'>) {}

  /** `now` in milliseconds since 1970. */
  check({ source, authority, presented }: StoredCertificates, now: number): void {
    const { clock } = this.options
    if (clock.now() < this.#nextAt) return
    const warned = [
      this.#warn(authority, now, 'authority'),
      source === 'imported' && presented !== undefined && this.#warn(presented.leaf, now, 'imported server certificate'),
    ]
    if (warned.includes(true)) this.#nextAt = clock.now() + DAY_MS
  }

  #warn(certificate: X509Certificate, now: number, what: string): boolean {
    const { log } = this.options
    const validity = validityOf(certificate)
    const days = daysLeft(now, validity)
    if (days >= FIRST_WARNING_DAYS) return false
    const fields = { validUntil: isoTime(validity.notAfter), daysLeft: days, date: isoTime(now) }
    if (days >= 0) log.warn(fields, `the ${what} ends soon: prepare a replacement (slotwire cert show)`)
    else log.error(fields, `the ${what} has ended, and clients refuse it: replace it, or correct the date of this device`)
    return true
  }
}
