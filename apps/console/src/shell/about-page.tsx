import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
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
