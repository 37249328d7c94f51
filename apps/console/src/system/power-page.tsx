import { ModulePage } from '../parts/module-page.tsx'
import { RailsCard } from '../parts/rails-card.tsx'
import { FanCard } from './fan-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { ProtectionCard } from './protection-card.tsx'

/** The page of one power module. */
export function PowerPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="power" slot={slot}>
      {() => (
        <>
          <RailsCard slot={slot} />
          <div class="columns">
            <div class="stack">
              <LimitsCard slot={slot} />
              <FanCard slot={slot} />
            </div>
            <ProtectionCard slot={slot} />
          </div>
        </>
      )}
    </ModulePage>
  )
}
