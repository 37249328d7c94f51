import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { IoModule } from './io-module.tsx'

/** The page of one io module. */
export function IoPage({ slot }: PageProperties) {
  return (
    <ModulePage service="io" slot={slot}>
      {(module) => <IoModule module={module} />}
    </ModulePage>
  )
}
