import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { Card } from '../parts/card.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH } from './api-document.ts'
import { KindSelect } from './kind-select.tsx'
import { OperationForm } from './operation-form.tsx'
import { useBench, useBenchPart } from './use-bench.ts'

/** A defect of a module type is not a fault with a path of its own. */
const DEFECT = 'defect:'

/** Faults by name, and those that are active. */
export function FaultsCard() {
  const texts = useTexts()
  const bench = useBench()
  const slots =
    useBenchPart(({ slots: all }) => all.map(({ slot, module, defects, pins }) => ({ slot, module, defects, pins: pins.length })))
      .value ?? []
  const active = useBenchPart(({ faults }) => faults).value ?? []
  const slot = useSignal<number | undefined>(undefined)
  const kind = useSignal<string | undefined>(undefined)
  const api = bench.api.value
  const chosen = slots.find((each) => each.slot === slot.value) ?? slots.find(({ pins }) => pins > 0) ?? slots[0]
  if (api === undefined || chosen === undefined) return null
  const defects = chosen.defects.map((name) => ({ value: DEFECT + name, text: texts.bench.fault(name) }))
  const kinds = [...api.faults.map(({ name }) => ({ value: name, text: texts.bench.fault(name) })), ...defects]
  const name =
    kinds.find(({ value }) => value === kind.value)?.value ?? api.faults.find(({ body }) => body !== undefined)?.name ?? ''
  const isDefect = name.startsWith(DEFECT)
  const operation = isDefect ? api.operations.get(`${BENCH}/slot/{slot}/break`) : api.faults.find((each) => each.name === name)
  const clearAll = bench.write('/faults/clear')
  return (
    <Card
      title={texts.bench.defects.faults}
      aside={clearAll !== undefined && active.length > 0 && <Action write={clearAll} label={texts.bench.cause.clearAll} />}
    >
      {active.length === 0 ? (
        <p class="muted">{texts.bench.defects.noFaults}</p>
      ) : (
        <ul class="plain-list" aria-label={texts.bench.defects.activeFaults}>
          {active.map((fault) => {
            const clear = bench.write('/fault/{number}/clear', { number: fault.fault })
            return (
              <li key={fault.fault} class="connection">
                <span class="what">
                  <strong>
                    {texts.slot(fault.slot)}: {texts.bench.fault(fault.kind)}
                  </strong>{' '}
                  <span class="muted">{fault.description}</span>
                </span>
                {clear !== undefined && <Action write={clear} label={texts.bench.cause.clear} />}
              </li>
            )
          })}
        </ul>
      )}
      <div class="row">
        <KindSelect
          label={texts.bench.cause.faultSlot}
          choices={slots.map((each) => ({ value: String(each.slot), text: slotText(each.slot, each.module) }))}
          value={String(chosen.slot)}
          onChange={(text) => {
            slot.value = Number(text)
          }}
        />
        <KindSelect
          label={texts.bench.cause.faultKind}
          choices={kinds}
          value={name}
          onChange={(text) => {
            kind.value = text
          }}
        />
      </div>
      {operation !== undefined && (
        <>
          {!isDefect && <p class="muted">{operation.summary}</p>}
          <OperationForm
            key={`${name} ${chosen.slot}`}
            operation={operation}
            numbers={{ slot: chosen.slot }}
            label={texts.bench.cause.inject}
            {...(isDefect ? { fixed: { defect: name.slice(DEFECT.length) } } : {})}
          />
        </>
      )}
    </Card>
  )

  function slotText(number: number, module: string | undefined): string {
    return `${number} · ${module === undefined ? texts.device.empty : texts.service(module)}`
  }
}
