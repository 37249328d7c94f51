import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { FanCard } from './fan-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { ProtectionCard } from './protection-card.tsx'
import { RailsCard } from './rails-card.tsx'
import { TemperaturesCard } from './temperatures-card.tsx'

/** The page of one power module. */
export function PowerPage({ slot }: PageProperties) {
  return (
    <ModulePage service="power" slot={slot}>
      {() => (
        <>
          <RailsCard slot={slot} />
          <div class="columns">
            <div class="stack">
              <LimitsCard slot={slot} />
              <FanCard slot={slot} />
              <TemperaturesCard slot={slot} />
            </div>
            <ProtectionCard slot={slot} />
          </div>
        </>
      )}
    </ModulePage>
  )
}
