import { useState } from 'preact/hooks'
import { Action } from '../controls/action.tsx'
import { Select } from '../controls/choice-input.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'

/** The module that is offered first for an empty slot. */
const FIRST_MODULE = 'io'

/** All slots: pull modules, and plug them. */
export function SlotsCard() {
  const texts = useTexts()
  const slots = useBenchPart((bench) => bench.slots.map(({ slot, module, mode }) => ({ slot, module, mode }))) ?? []
  return (
    <Card title={texts.device.slots}>
      <ul class="plain-list">
        {slots.map(({ slot, module, mode = '' }) => (
          <li key={slot} class="bench-slot">
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
  const [module, setModule] = useState(FIRST_MODULE)
  const plug = bench.write('/plug', { slot, module })
  const kinds = bench.operation('/plug')?.body?.properties['module']
  if (plug === undefined || kinds === undefined || !('enum' in kinds)) return null
  return (
    <>
      <span class="what">
        <Select
          label={texts.device.unit.module}
          choices={kinds.enum.map((kind) => [String(kind), texts.service(String(kind))])}
          value={module}
          onChange={setModule}
        />
      </span>
      <Action write={plug} label={texts.bench.slots.plug} />
    </>
  )
}

function FullSlot({ slot, module, mode }: { readonly slot: number; readonly module: string; readonly mode: string }) {
  const texts = useTexts()
  const pull = useBench().write('/unplug', { slot })
  const warning = texts.bench.warnings[module]
  return (
    <>
      <span class="what">
        <strong>{texts.service(module)}</strong> <Badge tone={mode === 'run' ? 'good' : 'quiet'}>{texts.bench.mode(mode)}</Badge>
      </span>
      {pull !== undefined && (
        <Action
          write={pull}
          label={texts.bench.slots.pull}
          question={warning !== undefined && { title: texts.request.steps.ask, text: warning, confirm: texts.bench.slots.pull }}
        />
      )}
    </>
  )
}
