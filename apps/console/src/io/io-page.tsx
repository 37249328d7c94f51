import { Card } from '../parts/card.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../shell/pages.tsx'
import { useTexts } from '../texts/use-texts.ts'

/** The page of one io module. */
export function IoPage({ slot }: PageProperties) {
  const texts = useTexts()
  return (
    <ModulePage service="io" slot={slot}>
      {(module) => <Card title={texts.service('io')}>{module.descriptor?.product_name}</Card>}
    </ModulePage>
  )
}
