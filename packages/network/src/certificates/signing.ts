import { KeyObject, webcrypto, type X509Certificate } from 'node:crypto'
import type { ServerCertificate } from '@slotwire/edge'
import type { CertificateNames } from './names.ts'
import { keyToPem } from './pem.ts'
import type { Validity } from './validity.ts'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' }
/** RFC 5280, ub-common-name. */
const MAX_COMMON_NAME_CHARACTERS = 64
const ORGANIZATION = 'Slotwire'

/** An authority with its key. */
export interface Signer {
  readonly certificate: X509Certificate
  /** On P-256. */
  readonly key: KeyObject
}

/** Loaded only to sign: 20 MB that a service without network door, or with valid certificates, does not need. */
async function loadX509() {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  return x509
}

/** Creates a self-signed authority that may only sign server certificates. */
export async function makeAuthority(deviceName: string, validity: Validity): Promise<ServerCertificate> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`${deviceName} device CA`.slice(-MAX_COMMON_NAME_CHARACTERS)] }, { O: [ORGANIZATION] }],
    notBefore: new Date(validity.notBefore),
    notAfter: new Date(validity.notAfter),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: keyToPem(KeyObject.from(keys.privateKey)) }
}

/** Creates a key and a certificate for these names (checked, at least one), signed by `signer`. */
export async function issueServerCertificate(
  signer: Signer,
  names: CertificateNames,
  validity: Validity,
): Promise<ServerCertificate> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(signer.certificate.raw)
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const der = signer.key.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, CURVE, false, ['sign'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [commonName(names)] }],
    issuer: issuer.subjectName,
    notBefore: new Date(validity.notBefore),
    notAfter: new Date(validity.notAfter),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.hosts.map((value) => ({ type: 'dns', value }) as const),
        ...names.addresses.map((value) => ({ type: 'ip', value }) as const),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return { cert: `${certificate.toString('pem')}\n`, key: keyToPem(KeyObject.from(keys.privateKey)) }
}

/** For display only: clients check the alternative names (RFC 9525). */
function commonName({ hosts, addresses }: CertificateNames): string {
  return [...hosts, ...addresses].find((name) => name.length <= MAX_COMMON_NAME_CHARACTERS) ?? ORGANIZATION
}
