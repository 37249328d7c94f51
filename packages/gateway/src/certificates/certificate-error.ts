/** What whoever keeps the device can mend: the message names file or field, what is wrong with it, and the remedy. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}
