import { quantityText } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { budgetOf, grantOf } from './budget.ts'
import type { PowerConfig } from './pin-state.ts'

const EVERY_MS = 1000
const ROWS = ['available', 'others', 'asked', 'left'] as const

interface Properties {
  readonly slot: number
  readonly config: PowerConfig
}

/** The budget of the device with a configuration of one module, if it has a power module. */
export function Budget(properties: Properties) {
  const texts = useTexts()
  const supply = useStore().modules.list.value.find(({ service }) => service === 'power')
  return supply === undefined ? <p class="muted">{texts.io.noBudget}</p> : <BudgetTable supply={supply.slot} {...properties} />
}

/** What the rails give, what is granted, what this configuration asks, and what is left. */
function BudgetTable({ supply, slot, config }: Properties & { readonly supply: number }) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const source = useReading('power', supply, 'getSource', EVERY_MS).value.value
  const modules = store.modules.list.value
  const own = modules.find((module) => module.slot === slot)?.descriptor
  const others = modules.filter((module) => module.slot !== slot).map(({ descriptor }) => descriptor && grantOf(descriptor))
  const granted = others.filter((power) => power !== undefined)
  if (source === undefined || own === undefined || granted.length < others.length) return <p class="muted">{texts.io.noBudget}</p>
  const { power3v3, power5v0, power12v } = store.module('io', slot).powerNeed(config, own)
  const budget = budgetOf(source, granted, { '3v3': power3v3, '5v0': power5v0, '12v': power12v })
  return (
    <div class="budget">
      <Table
        caption={texts.io.budget}
        columns={[
          { title: texts.io.budgetRow, cell: (row: (typeof ROWS)[number]) => texts.io.budgetRows[row] },
          ...budget.map((part) => ({
            title: texts.io.rails[part.rail],
            isNumber: true,
            cell: (row: (typeof ROWS)[number]) => (
              <span class="number" data-missing={row === 'left' && part.left < 0}>
                {quantityText(part[row], 'mW', language)}
              </span>
            ),
          })),
        ]}
        rows={ROWS}
        keyOf={(row) => row}
      />
      {budget.some(({ left }) => left < 0) && <p class="error">{texts.io.tooMuch}</p>}
    </div>
  )
}
