import * as clients from '@slotwire/modules/clients'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { dateAndTime } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import { useReading } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { type Rise, useRises } from './rises.ts'

type Counter = keyof ReplyTo<'power', 'getProtectionLog'>
const SUM: Counter = 'opp_protection_cnt'
const { reply } = clients.power.contract.endpoints.getProtectionLog
const COUNTERS = (Object.keys(reply.properties) as Counter[]).filter((name) => name !== SUM)

/** How often each protection of the supply acted, and when last. */
export function ProtectionCard({ slot }: { readonly slot: number }) {
  const { system } = useTexts()
  const log = useReading('power', slot, 'getProtectionLog', 1000)
  const rises = useRises(slot).value
  const count = (counter: Counter) => <Value reading={log} pick={(counters) => counters[counter]} unit="" />
  return (
    <Card
      title={system.protection}
      aside={
        <span>
          {system.supply.sum} {count(SUM)}
        </span>
      }
    >
      <Table
        caption={system.protection}
        columns={[
          { title: system.log.cause, cell: (counter) => system.counter(counter) },
          { title: system.log.count, isNumber: true, cell: count },
          {
            title: system.log.lastRise,
            cell: (counter) => <LastRise rise={rises.get(counter)} hasRisen={(log.value.value?.[counter] ?? 0) > 0} />,
          },
        ]}
        rows={COUNTERS}
        keyOf={(counter) => counter}
      />
      <p class="muted">{system.protectionHint}</p>
    </Card>
  )
}

function LastRise({ rise, hasRisen }: { readonly rise: Rise | undefined; readonly hasRisen: boolean }) {
  const { system } = useTexts()
  const language = useLanguage()
  if (rise === undefined) return <span class="muted">{hasRisen ? system.log.notKnown : '–'}</span>
  return (
    <span class="rise">
      <time dateTime={rise.at}>{dateAndTime(Date.parse(rise.at), language)}</time>{' '}
      <Badge tone="bad">{`${rise.from} → ${rise.to}`}</Badge>
    </span>
  )
}
