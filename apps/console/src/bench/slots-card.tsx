import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH } from './api-document.ts'
import type { SlotView } from './bench-types.ts'
import { KindSelect } from './kind-select.tsx'
import { OperationForm } from './operation-form.tsx'
import { useBench, useBenchPart } from './use-bench.ts'

/** Module type that is offered first for an empty slot, if the bench has it. */
const FIRST_MODULE = 'io'

/** All slots: pull modules, plug them, and press their buttons. */
export function SlotsCard() {
  const texts = useTexts()
  const slots = useBenchPart((bench) => bench.slots.map((slot): SlotView => ({ ...slot, pins: [] }))).value ?? []
  return (
    <Card title={texts.device.slots}>
      <ul class="plain-list">
        {slots.map((slot) => (
          <li key={slot.slot} class="bench-slot" data-empty={slot.module === undefined}>
            <span class="slot-number">{slot.slot}</span>
            {slot.module === undefined ? <EmptySlot slot={slot.slot} /> : <FullSlot slot={slot} module={slot.module} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function EmptySlot({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const bench = useBench()
  const schema = bench.api.value?.operations.get(`${BENCH}/slot/{slot}/plug`)?.body?.properties['module']
  const types = schema !== undefined && 'enum' in schema ? schema.enum.map(String) : []
  const chosen = useSignal(FIRST_MODULE)
  const write = bench.write('/slot/{slot}/plug', { slot }, { module: chosen.value })
  return (
    <>
      <KindSelect
        label={texts.bench.moduleFor(slot)}
        choices={types.map((type) => ({ value: type, text: texts.service(type) }))}
        value={chosen.value}
        onChange={(type) => {
          chosen.value = type
        }}
      />
      {write !== undefined && <Action write={write} label={texts.bench.slots.plug} />}
    </>
  )
}

function FullSlot({
  slot: { slot, mode = '', actions, settings },
  module,
}: {
  readonly slot: SlotView
  readonly module: string
}) {
  const texts = useTexts()
  const bench = useBench()
  const pull = bench.write('/slot/{slot}/unplug', { slot })
  const reset = bench.write('/slot/{slot}/factory_reset', { slot })
  const set = bench.api.value?.operations.get(`${BENCH}/slot/{slot}/set`)
  const service = texts.service(module)
  return (
    <>
      <span class="what">
        <strong>{service}</strong>{' '}
        {mode !== '' && <Badge tone={mode === 'run' ? 'good' : 'quiet'}>{texts.bench.mode(mode)}</Badge>}
      </span>
      {pull !== undefined && <Action write={pull} label={texts.bench.slots.pull} />}
      <details>
        <summary>{texts.bench.slots.more}</summary>
        <span class="row">
          {actions.map((action) => {
            const press = bench.write('/slot/{slot}/press', { slot }, { action })
            return press && <Action key={action} write={press} label={texts.bench.pressModule(action)} />
          })}
          {reset !== undefined && (
            <Action
              write={reset}
              label={texts.bench.slots.factoryReset}
              question={{ title: texts.request.steps.ask, text: texts.bench.factoryResetWarning(service, slot) }}
            />
          )}
        </span>
        {settings !== undefined && set !== undefined && (
          <OperationForm operation={{ ...set, example: settings }} numbers={{ slot }} label={texts.set} />
        )}
      </details>
    </>
  )
}
