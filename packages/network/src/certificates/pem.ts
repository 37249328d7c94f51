import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { OperatorError } from '../operator-error.ts'

/** A certificate with its chain is never longer. */
const MAX_PEM_BYTES = 65_536
const MAX_CHAIN = 10

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g
const KEY_LABELS = ['PRIVATE KEY', 'EC PRIVATE KEY', 'RSA PRIVATE KEY']
const ENCRYPTED_LABEL = 'ENCRYPTED PRIVATE KEY'
/** A header line of a block that was encrypted before PKCS#8 (RFC 1421, 4.6.1.1). The line contains hyphens. */
const ENCRYPTED_HEADER = /^Proc-Type: 4,ENCRYPTED/m

/** The blocks of a PEM text (RFC 7468) with these labels, in order. Text between the blocks is ignored. */
function pemBlocks(text: string, what: string, labels: readonly string[]): readonly string[] {
  if (text.length > MAX_PEM_BYTES) throw new OperatorError(`${what} is too long: at most ${MAX_PEM_BYTES} bytes`)
  return [...text.matchAll(BLOCK)].filter(([, label = '']) => labels.includes(label)).map(([block]) => block)
}

/** One certificate or more; `what` names the file in messages. Throws `OperatorError`. */
export function certificatesIn(text: string, what: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pemBlocks(text, what, ['CERTIFICATE'])
  if (first === undefined) {
    throw new OperatorError(
      `${what} holds no certificate in PEM: convert it, with openssl x509 -in FILE -out certificate.pem or openssl pkcs12 -in FILE -nodes -out certificate.pem`,
    )
  }
  if (others.length >= MAX_CHAIN) throw new OperatorError(`${what} holds ${others.length + 1} certificates: at most ${MAX_CHAIN}`)
  const parse = (block: string, index: number): X509Certificate => {
    try {
      return new X509Certificate(block)
    } catch (error) {
      throw new OperatorError(`certificate ${index + 1} of ${what} cannot be read: copy the whole file again`, { cause: error })
    }
  }
  return [parse(first, 0), ...others.map((block, index) => parse(block, index + 1))]
}

/** The one private key, in PKCS#8, SEC1 or PKCS#1, not encrypted. Throws `OperatorError`. */
export function privateKeyIn(text: string, what: string): KeyObject {
  if (text.includes(`-----BEGIN ${ENCRYPTED_LABEL}-----`) || ENCRYPTED_HEADER.test(text)) {
    throw new OperatorError(
      `${what} is encrypted, but the service starts without a password: decrypt it with openssl pkey -in FILE -out key.pem`,
    )
  }
  const keys = pemBlocks(text, what, KEY_LABELS)
  const [key] = keys
  if (key === undefined) {
    throw new OperatorError(
      `${what} holds no private key in PEM (PKCS#8, SEC1 or PKCS#1): convert it with openssl pkey -in FILE -out key.pem`,
    )
  }
  if (keys.length > 1)
    throw new OperatorError(`${what} holds ${keys.length} private keys: leave the one that belongs to the certificate`)
  try {
    return createPrivateKey(key)
  } catch (error) {
    throw new OperatorError(`the private key in ${what} cannot be read: copy the whole file again`, { cause: error })
  }
}

/** As PKCS#8, the stored format. */
export function keyToPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Concatenates the certificates; each ends with a line feed. */
export function certificatesToPem(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString().trimEnd() + '\n').join('')
}
