import { useState } from 'preact/hooks'
import { Action } from '../controls/action.tsx'
import { Select } from '../controls/choice-input.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { othersOf } from './api-document.ts'
import { useBench, useBenchPart } from './bench-data.ts'
import { OperationForm } from './operation-form.tsx'

/** Whatever else the bench can do, faults first, and the faults that are active. */
export function OthersCard() {
  const texts = useTexts()
  const bench = useBench()
  const slots = useBenchPart(({ slots: all }) => all.map(({ slot, module }) => ({ slot, module }))) ?? []
  const active = useBenchPart(({ faults }) => faults) ?? []
  const [slot, setSlot] = useState('0')
  const [name, setName] = useState('')
  const operations = othersOf(bench.api.value)
  const operation = operations.find((each) => each.name === name) ?? operations.find(({ body }) => body !== undefined)
  const hasSlot = operation?.body?.properties['slot'] !== undefined
  const warning = operation && texts.bench.warnings[operation.name]
  return (
    <Card title={texts.bench.others.title}>
      {active.length === 0 && <p class="muted">{texts.bench.others.none}</p>}
      <ul class="plain-list" aria-label={texts.bench.others.active}>
        {active.map((fault) => {
          const clear = bench.write('/clear_faults', { of: fault.name })
          return (
            <li key={fault.name} class="connection">
              <span class="what">
                <strong>
                  {texts.slot(fault.slot)}: {texts.bench.fault(fault.kind)}
                </strong>
                <small class="muted">{fault.description}</small>
              </span>
              {clear !== undefined && <Action write={clear} label={texts.bench.others.end} />}
            </li>
          )
        })}
      </ul>
      {operation !== undefined && (
        <>
          <div class="row">
            <Select
              label={texts.bench.others.what}
              choices={operations.map((each) => [each.name, texts.bench.operation(each.name, each.path.endsWith('/fault'))])}
              value={operation.name}
              onChange={setName}
            />
            {hasSlot && (
              <Select
                label={texts.device.slotColumn}
                choices={slots.map((each) => [
                  String(each.slot),
                  `${each.slot} · ${each.module === undefined ? texts.device.empty : texts.service(each.module)}`,
                ])}
                value={slot}
                onChange={setSlot}
              />
            )}
          </div>
          <p class="muted">{operation.summary}</p>
          <OperationForm
            key={operation.name}
            operation={operation}
            fixed={hasSlot ? { slot: Number(slot) } : {}}
            label={texts.bench.others.send}
            question={warning === undefined ? undefined : { title: texts.request.steps.ask, text: warning }}
          />
        </>
      )}
    </Card>
  )
}
