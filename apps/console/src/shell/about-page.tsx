import { certificateContract, type ReplyOf } from '@slotwire/contract'
import { useEffect, useState } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { LinkStateView } from './link-state.tsx'

const { showCertificates } = certificateContract.endpoints
type Certificates = ReplyOf<typeof showCertificates>

/** The device's address and version, what an operator must check, and the certificates. */
export function AboutPage() {
  const { about: texts, access, shell } = useTexts()
  const { about, hasToken, warnings } = useStore()
  return (
    <>
      <h1>{shell.menu.about}</h1>
      <Card title={texts.connection} aside={<LinkStateView />}>
        <Facts
          look="steps"
          facts={[
            [texts.address, location.origin],
            [texts.encrypted, location.protocol === 'https:' ? texts.tls : texts.plain],
            [access.token, hasToken ? texts.withToken : texts.withoutToken],
            [texts.version, about.value?.version],
          ]}
        />
      </Card>
      <Card title={texts.warnings}>
        {warnings.value.length === 0 ? (
          <p class="muted">{texts.noWarnings}</p>
        ) : (
          <ul class="warnings">
            {warnings.value.map((text) => (
              <li key={text} class="notice">
                {text}
              </li>
            ))}
          </ul>
        )}
      </Card>
      <CertificatesCard />
    </>
  )
}

/** What TLS clients see and must trust, with the way to trust it. */
function CertificatesCard() {
  const { about: texts } = useTexts()
  const { device } = useStore()
  const [shown, setShown] = useState<Certificates | undefined>(undefined)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    device.extension(showCertificates.path).then(
      (reply) => setShown(reply as Certificates),
      (error: unknown) => setProblem(reasonOf(error)),
    )
  }, [device])
  const { authority, server, ca_path: path = '' } = shown ?? {}
  return (
    <Card title={texts.certificates}>
      {problem !== '' && <p class="error">{problem}</p>}
      {shown !== undefined && authority === undefined && <p class="muted">{texts.noCertificates}</p>}
      {server !== undefined && <Certificate title={texts.server} certificate={server} />}
      {authority !== undefined && (
        <>
          <Certificate title={texts.authority} certificate={authority} />
          <p class="notice">{texts.compare}</p>
          <p>
            <a href={path} download={`${location.hostname}.crt`}>
              {texts.download}
            </a>
          </p>
          <details>
            <summary>{texts.systems}</summary>
            <Facts look="steps" facts={Object.entries(texts.steps)} />
          </details>
        </>
      )}
    </Card>
  )
}

interface CertificateProperties {
  readonly title: string
  readonly certificate: NonNullable<Certificates['server']>
}

function Certificate({ title, certificate }: CertificateProperties) {
  const { about: texts, language } = useTexts()
  const { subject, names, valid_until: until, days_left: daysLeft, fingerprint } = certificate
  const date = new Date(until).toLocaleDateString(language, { dateStyle: 'medium' })
  return (
    <section>
      <h3>{title}</h3>
      <Facts
        look="steps"
        facts={[
          [texts.subject, subject],
          [texts.names, names.length === 0 ? undefined : names.join(', ')],
          [texts.until, <span class={daysLeft < 0 ? 'error' : undefined}>{texts.ends(date, daysLeft)}</span>],
          [texts.fingerprint, <span class="number">{fingerprint}</span>],
        ]}
      />
    </section>
  )
}
