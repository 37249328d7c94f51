/** The package's maintainer, as in packaging/debian/control. */
const MAINTAINER = 'The Slotwire authors <authors@slotwire.invalid>'

/**
 * The change log in Debian's format. The real history is in the source repository.
 * @param {string} version
 * @param {number} date of the last change, in seconds since 1970
 */
export function changelog(version, date) {
  const when = new Date(date * 1000).toUTCString().replace('GMT', '+0000')
  return `slotwire (${version}) unstable; urgency=medium\n\n  * Built from the sources of this date.\n\n -- ${MAINTAINER}  ${when}\n`
}
