import { useSignal } from '@preact/signals'
import * as clients from '@slotwire/modules/clients'
import { OutcomeLine } from '../../controls/outcome-line.tsx'
import { RequestButton } from '../../controls/request-button.tsx'
import { useBlocked, useSend } from '../../controls/use-send.ts'
import { Card } from '../../parts/card.tsx'
import { quantityText } from '../../parts/format.ts'
import type { ReplyTo } from '../../store/device-types.ts'
import { useStore } from '../../store/use-store.ts'
import { moduleWrite } from '../../store/write.ts'
import { useLanguage, useTexts } from '../../texts/use-texts.ts'
import { stepsBack } from '../lost/restore.ts'
import { type PinState, type PowerConfig, powerOf } from '../pin-state.ts'
import { stepText } from '../settings-text.ts'
import { useFollowed } from '../setup/use-followed.ts'
import { missingOf } from './budget.ts'
import { BudgetTable } from './budget-table.tsx'
import { PowerFields } from './power-fields.tsx'
import { useBudget } from './use-budget.ts'

type Decision = ReplyTo<'io', 'setPowerConfiguration'>

interface Properties {
  readonly slot: number
  readonly pins: readonly PinState[]
  /** The power is granted: the pins have lost these settings. */
  readonly onGranted: (before: readonly PinState[]) => void
}

const { example } = clients.io.contract.endpoints.setPowerConfiguration

/** The power configuration of all six pins, with the budget before it is sent. */
export function PowerCard({ slot, pins, onGranted }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const store = useStore()
  const set = powerOf(pins) ?? (example.config as PowerConfig)
  const config = useSignal<PowerConfig>(set)
  useFollowed(config, set)
  const budget = useBudget(slot, config).value
  const decision = useSignal<Decision | undefined>(undefined)
  const { outcome, send } = useSend()
  const write = moduleWrite(store, 'io', slot, 'setPowerConfiguration', { config: config.value })
  const blocked = useBlocked(write)
  // The new configuration replaces the power: only the settings of the pins are lost.
  const before = pins.map((pin) => ({ ...pin, power: null }))
  const { signalOf } = store.module('io', slot)
  const lost = stepsBack(before, []).filter(({ endpoint }) => endpoint !== 'setInputMode')
  const run = async (): Promise<void> => {
    decision.value = undefined
    const lines = lost.map((step) => stepText(step, texts, language, signalOf))
    const reply = await send(write, {
      title: texts.io.powerAsk,
      text: texts.io.powerResets(lines),
      confirm: texts.io.all.powerSet,
    })
    if (reply === undefined) return
    decision.value = reply as Decision
    if (decision.value.status === 'success') onGranted(before)
  }
  const isShort = budget?.some(({ left }) => left < 0) === true
  return (
    <Card title={texts.io.all.power}>
      <PowerFields config={config} />
      <span class="action">
        <button
          type="button"
          onClick={() => {
            const [first] = config.peek()
            if (first !== undefined) config.value = config.peek().map(() => first)
          }}
        >
          {texts.io.all.allLikeFirst}
        </button>
      </span>
      {budget === undefined ? (
        <p class="muted">{texts.io.noBudget}</p>
      ) : (
        <div class="budget">
          <BudgetTable budget={budget} />
        </div>
      )}
      {isShort && <p class="error">{texts.io.tooMuch}</p>}
      <p class="muted">{texts.io.powerHint}</p>
      <span class="action">
        <button type="button" class="main" aria-disabled={blocked !== undefined} title={blocked} onClick={() => void run()}>
          {texts.io.all.powerSet}
        </button>
        <RequestButton write={write} />
        {decision.value === undefined && <OutcomeLine outcome={outcome} />}
        <DecisionLine decision={decision.value} />
      </span>
    </Card>
  )
}

/** The answer of the power budget. A denial says what is missing on each rail. */
function DecisionLine({ decision }: { readonly decision: Decision | undefined }) {
  const texts = useTexts()
  const language = useLanguage()
  const missing = decision === undefined ? [] : missingOf(decision)
  const rails = missing.map(({ rail, milliwatt }) =>
    texts.io.missing(
      texts.io.rails[rail],
      `${new Intl.NumberFormat(language).format(milliwatt)} mW`,
      quantityText(milliwatt, 'mW', language),
    ),
  )
  const isDenied = decision?.status === 'denied'
  return (
    <span class="outcome" role="status" data-step={decision === undefined ? 'none' : isDenied ? 'failed' : 'done'}>
      {decision !== undefined && (isDenied ? texts.io.decision.denied : texts.io.decision.granted)}
      {rails.map((rail) => ` ${rail}`)}
    </span>
  )
}
