import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { PinCard } from './pin-card.tsx'
import { ValueChart } from './value-chart.tsx'

const PINS = [1, 2, 3, 4, 5, 6]

/** The page of one io module. */
export function IoPage({ slot }: PageProperties) {
  return (
    <ModulePage service="io" slot={slot}>
      {() => (
        <>
          <ValueChart slot={slot} />
          {PINS.map((pin) => (
            <PinCard key={pin} slot={slot} pin={pin} />
          ))}
        </>
      )}
    </ModulePage>
  )
}
