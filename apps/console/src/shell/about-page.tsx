import { Card } from '../parts/card.tsx'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CertificatesCard } from './certificates-card.tsx'
import { LinkStateView } from './link-state.tsx'

/** The device's address and version, what an operator must check, and the certificates. */
export function AboutPage() {
  const { about: texts, access, shell } = useTexts()
  const { about, hasToken, warnings } = useStore()
  return (
    <>
      <h1>{shell.menu.about}</h1>
      <Card title={texts.connection} aside={<LinkStateView />}>
        <dl class="steps">
          <Fact name={texts.address}>{location.origin}</Fact>
          <Fact name={texts.encrypted}>{location.protocol === 'https:' ? texts.tls : texts.plain}</Fact>
          <Fact name={access.token}>{hasToken ? texts.withToken : texts.withoutToken}</Fact>
          <Fact name={texts.version}>{about.value?.version}</Fact>
        </dl>
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

function Fact({ name, children }: { readonly name: string; readonly children: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
