import { Card } from '../parts/card.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { useTexts } from '../texts/use-texts.ts'

/** The page of one bmc module. */
export function BmcPage({ slot }: PageProperties) {
  const texts = useTexts()
  return (
    <ModulePage service="bmc" slot={slot}>
      {(module) => <Card title={texts.service('bmc')}>{module.descriptor?.product_name}</Card>}
    </ModulePage>
  )
}
