import * as clients from '@slotwire/modules/clients'
import { Card } from '../parts/card.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import { RailsCard } from '../parts/rails-card.tsx'
import { Table } from '../parts/table.tsx'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import { useReading } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { FanCard } from './fan-card.tsx'
import { LimitsCard } from './limits-card.tsx'

type Counter = keyof ReplyTo<'power', 'getProtectionLog'>
const { reply } = clients.power.contract.endpoints.getProtectionLog
/** The sum of all is the last row. */
const COUNTERS = Object.keys(reply.properties) as Counter[]

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

/** How often each protection of the supply acted. The journal says when. */
function ProtectionCard({ slot }: { readonly slot: number }) {
  const { system } = useTexts()
  const log = useReading('power', slot, 'getProtectionLog', 1000)
  const count = (counter: Counter) => <Value reading={log} pick={(counters) => counters[counter]} unit="" />
  return (
    <Card title={system.protection} aside={<a href="#/events">{system.log.lastRise}</a>}>
      <Table
        caption={system.protection}
        columns={[
          { title: system.log.cause, cell: (counter) => system.counter(counter) },
          { title: system.log.count, isNumber: true, cell: count },
        ]}
        rows={COUNTERS}
        keyOf={(counter) => counter}
      />
      <p class="muted">{system.protectionHint}</p>
    </Card>
  )
}
