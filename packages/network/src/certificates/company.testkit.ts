import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { opensslIn } from './certificates.testkit.ts'

export interface CompanyOptions {
  /** Extensions of the server's certificate. */
  readonly leaf?: string
  /** How `openssl genpkey` makes the server's key. */
  readonly newKey?: readonly string[]
  /** First and last moment of all certificates; default: the year from 2026-11-01. */
  readonly dates?: readonly [string, string]
  readonly digest?: string
}

const P256 = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']
const AUTHORITY = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash'
const SERVER = 'subjectAltName=DNS:press.example.com\nextendedKeyUsage=serverAuth'

/** A company with a root, an intermediate authority, and a certificate for the device `press`; openssl creates all of them in `folder`. */
export function companyWith(openssl: string, folder: string, options: CompanyOptions) {
  const { newKey = P256, dates = ['20261101000000Z', '20271101000000Z'], digest = 'sha256' } = options
  const { run, write } = opensslIn(folder, openssl)
  write('authority.ext', AUTHORITY)
  write('server.ext', options.leaf ?? SERVER)
  const section = `[company]\ndatabase=index.txt\nrand_serial=yes\ndefault_md=${digest}\npolicy=policy\nnew_certs_dir=.\n`
  write('company.conf', `[ca]\ndefault_ca=company\n${section}[policy]\ncommonName=supplied\n`)

  /** `openssl x509` can only issue certificates that begin now; `openssl ca` takes dates. */
  const issue = (name: string, extensions: string, issuer: string, key: readonly string[]): void => {
    run('genpkey', ...key, '-out', `${name}.key`)
    run('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`)
    write('index.txt', '')
    const signer =
      name === issuer ? ['-selfsign', '-keyfile', `${name}.key`] : ['-cert', `${issuer}.pem`, '-keyfile', `${issuer}.key`]
    const validity = ['-startdate', dates[0], '-enddate', dates[1]]
    const files = ['-in', `${name}.csr`, '-extfile', extensions, '-out', `${name}.pem`]
    run('ca', '-batch', '-notext', '-config', 'company.conf', ...signer, ...validity, ...files)
  }
  issue('root', 'authority.ext', 'root', P256)
  issue('middle', 'authority.ext', 'root', P256)
  issue('press', 'server.ext', 'middle', newKey)

  const read = (...names: string[]): string => names.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
  return { folder, run, read, chain: read('press.pem', 'middle.pem'), key: read('press.key'), root: read('root.pem') }
}
