import { Card } from '../parts/card.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { useTexts } from '../texts/use-texts.ts'

/** The page of one power module. */
export function PowerPage({ slot }: PageProperties) {
  const texts = useTexts()
  return (
    <ModulePage service="power" slot={slot}>
      {(module) => <Card title={texts.service('power')}>{module.descriptor?.product_name}</Card>}
    </ModulePage>
  )
}
