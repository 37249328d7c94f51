import { useSignal } from '@preact/signals'
import { certificateContract, type ReplyOf } from '@slotwire/contract'
import { useEffect } from 'preact/hooks'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { reasonOf } from '../store/reason.ts'
import { useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

const { showCertificates } = certificateContract.endpoints
type Certificates = ReplyOf<typeof showCertificates>

/** What TLS clients see and must trust, with the way to trust it. */
export function CertificatesCard() {
  const { about: texts } = useTexts()
  const { device } = useStore()
  const shown = useSignal<Certificates | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  useEffect(() => {
    device.extension(showCertificates.path).then(
      (reply) => {
        shown.value = reply as Certificates
      },
      (error: unknown) => {
        problem.value = reasonOf(error)
      },
    )
  }, [device, shown, problem])
  const { authority, server, ca_path: path = '' } = shown.value ?? {}
  return (
    <Card title={texts.certificates}>
      {problem.value !== undefined && <p class="error">{problem.value}</p>}
      {shown.value !== undefined && authority === undefined && <p class="muted">{texts.noCertificates}</p>}
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

function Certificate({
  title,
  certificate,
}: {
  readonly title: string
  readonly certificate: NonNullable<Certificates['server']>
}) {
  const { about: texts } = useTexts()
  const language = useLanguage()
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
