import { isoTime } from '@slotwire/core'
import { CertificateStore, certificatesFolder, OperatorError } from '@slotwire/gateway'
import { shownCertificates } from '../../cert/cert-show.ts'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import type { Installation } from '../installation.ts'
import { importCertificate, renewCertificate, showCertificate } from '../slotwire-commands.ts'

/** Whoever issues certificates is to be asked so many days ahead. */
const SOON_DAYS = 14

export const certificatesCheck: Check = {
  name: 'certificates',
  group: 'State',
  isForHardware: false,
  isPerService: true,
  subject: ({ state }) => certificatesFolder(state),
  run: (installation) => [judge(installation)],
}

function judge({ state, date }: Installation): Finding {
  const place = { state }
  try {
    const stored = new CertificateStore(certificatesFolder(state)).read()
    if (stored === undefined) return ok('none yet: the service makes them when it opens its network door')
    const { source, authority, server, fault } = shownCertificates(stored, date)
    const renew = source === 'own' ? renewCertificate(place) : importCertificate(place)
    if (fault !== null) return failure(fault, `Have a new one made: ${renewCertificate(place)}.`)
    if (authority.daysLeft < 0) {
      return failure(
        `the authority’s certificate ended on ${authority.validUntil}`,
        `Look at the clock first; then import one that is valid: ${importCertificate(place)}.`,
      )
    }
    if (server === null) return ok('the authority is there, the server’s comes with the network door')
    const until = `valid until ${server.validUntil.slice(0, 'YYYY-MM-DD'.length)}, ${source === 'own' ? 'renewed by itself' : 'imported'}`
    if (server.validFrom > isoTime(date))
      return failure(`valid from ${server.validFrom} only`, 'Set the clock: timedatectl set-ntp true.')
    const ended = `the server’s certificate ended on ${server.validUntil}`
    if (server.daysLeft < 0 && source === 'own')
      return warning(`${ended}: it is renewed at the next start`, `Or at once: ${renew}.`)
    if (server.daysLeft < 0) return failure(ended, `Have a new one issued, and import it: ${renew}.`)
    if (source === 'imported' && server.daysLeft <= SOON_DAYS)
      return warning(`${until}: ${server.daysLeft} days left`, `Have a new one issued, and import it: ${renew}.`)
    return ok(until)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return failure(error.message, `Look at it as the service’s user or as root: ${showCertificate(place)}.`)
  }
}
