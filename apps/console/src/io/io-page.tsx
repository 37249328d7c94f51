import { ModulePage } from '../parts/module-page.tsx'
import { IoModule } from './io-module.tsx'

/** The page of one io module. */
export function IoPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="io" slot={slot}>
      {(module) => <IoModule module={module} />}
    </ModulePage>
  )
}
