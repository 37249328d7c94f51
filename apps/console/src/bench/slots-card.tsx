import { Action } from '../controls/action.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import { OperationForm } from './operation-form.tsx'

/** All slots: pull modules, and plug them. */
export function SlotsCard() {
  const texts = useTexts()
  const slots = useBenchPart((bench) => bench.slots.map(({ slot, module, mode }) => ({ slot, module, mode }))) ?? []
  const plug = useBench().operation('/slot/{slot}/plug')
  return (
    <Card title={texts.device.slots}>
      <ul class="plain-list">
        {slots.map(({ slot, module, mode = '' }) => (
          <li key={slot} class="bench-slot" data-empty={module === undefined}>
            <span class="slot-number">{slot}</span>
            {module !== undefined && <FullSlot slot={slot} module={module} mode={mode} />}
            {module === undefined && plug !== undefined && (
              <OperationForm operation={plug} numbers={{ slot }} label={texts.bench.slots.plug} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function FullSlot({ slot, module, mode }: { readonly slot: number; readonly module: string; readonly mode: string }) {
  const texts = useTexts()
  const pull = useBench().write('/slot/{slot}/unplug', { slot })
  const warning = texts.bench.warning(module)
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
