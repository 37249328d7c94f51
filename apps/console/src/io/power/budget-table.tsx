import { quantityText } from '../../parts/format.ts'
import { Table } from '../../parts/table.tsx'
import { useLanguage, useTexts } from '../../texts/use-texts.ts'
import type { BudgetPart } from './budget.ts'

const ROWS = ['available', 'others', 'now', 'asked', 'left'] as const

/** What the rails give, what is granted, what this configuration asks, and what is left. */
export function BudgetTable({ budget }: { readonly budget: readonly BudgetPart[] }) {
  const texts = useTexts()
  const language = useLanguage()
  return (
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
  )
}
