import { Action } from '../controls/action.tsx'
import { FormField } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import type { ReplyTo } from '../store/device-types.ts'
import { RAILS } from '../store/rail-power.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

/** Sets the current limits, and says before which of them switch a rail off. */
export function LimitsCard({ slot }: { readonly slot: number }) {
  const { system } = useTexts()
  const { value } = useReading('power', slot, 'getStats', 1000).value
  return (
    <Card title={system.limits}>
      <p class="muted">{system.limitsHint}</p>
      {value !== undefined && <LimitsForm slot={slot} stats={value} />}
    </Card>
  )
}

function LimitsForm({ slot, stats }: { readonly slot: number; readonly stats: ReplyTo<'power', 'getStats'> }) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const { limit_3v3, limit_5v0, limit_12v } = stats
  const form = useForm('power', 'setLimits', { limit_3v3, limit_5v0, limit_12v })
  const limits = form.input.value
  const write = moduleWrite(store, 'power', slot, 'setLimits', limits)
  const shown = (current: number): string => quantityText(current, 'mA', language)
  const above = write.problem === undefined ? RAILS.filter((rail) => stats[`current_${rail}`] > limits[`limit_${rail}`]) : []
  const warnings = above.map((rail) =>
    texts.system.limitTooLow(texts.device.rails[rail], shown(stats[`current_${rail}`]), shown(limits[`limit_${rail}`])),
  )
  return (
    <>
      <div class="fields">
        {RAILS.map((rail) => (
          <FormField key={rail} form={form} name={`limit_${rail}`} />
        ))}
      </div>
      {warnings.length > 0 && <p class="notice">{warnings.join(' ')}</p>}
      <Action
        write={write}
        label={texts.set}
        {...(warnings.length > 0 ? { question: { title: texts.system.limitsAsk, text: warnings.join(' ') } } : {})}
      />
    </>
  )
}
