import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import type { SlotView } from './bench-types.ts'
import { Select } from './select.tsx'

/** Module type that is offered first for an empty slot, if the bench has it. */
const FIRST_MODULE = 'io'

/** All slots: pull modules, and plug them. */
export function SlotsCard() {
  const texts = useTexts()
  const slots = useBenchPart((bench) => bench.slots.map((slot): SlotView => ({ ...slot, pins: [] }))) ?? []
  return (
    <Card title={texts.device.slots}>
      <ul class="plain-list">
        {slots.map(({ slot, module, mode = '' }) => (
          <li key={slot} class="bench-slot" data-empty={module === undefined}>
            <span class="slot-number">{slot}</span>
            {module === undefined ? <EmptySlot slot={slot} /> : <FullSlot slot={slot} module={module} mode={mode} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function EmptySlot({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const bench = useBench()
  const schema = bench.operation('/slot/{slot}/plug')?.body?.properties['module']
  const types = schema !== undefined && 'enum' in schema ? schema.enum.map(String) : []
  const chosen = useSignal(FIRST_MODULE)
  const write = bench.write('/slot/{slot}/plug', { slot }, { module: chosen.value })
  return (
    <>
      <Select
        label={texts.bench.moduleFor(slot)}
        choices={types.map((type) => [type, texts.service(type)])}
        value={chosen.value}
        onChange={(type) => {
          chosen.value = type
        }}
      />
      {write !== undefined && <Action write={write} label={texts.bench.plug} />}
    </>
  )
}

function FullSlot({ slot, module, mode }: { readonly slot: number; readonly module: string; readonly mode: string }) {
  const texts = useTexts()
  const pull = useBench().write('/slot/{slot}/unplug', { slot })
  const warning = texts.bench.pullWarning(module)
  return (
    <>
      <span class="what">
        <strong>{texts.service(module)}</strong> <Badge tone={mode === 'run' ? 'good' : 'quiet'}>{texts.bench.mode(mode)}</Badge>
      </span>
      {pull !== undefined && (
        <Action
          write={pull}
          label={texts.bench.pull}
          question={warning !== undefined && { title: texts.request.ask, text: warning, confirm: texts.bench.pull }}
        />
      )}
    </>
  )
}
