import { useSignal } from '@preact/signals'
import type { IntegerSchema } from '@slotwire/contract'
import { RAILS } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import { useState } from 'preact/hooks'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { schemaIn } from '../controls/form.tsx'
import { NumberInput } from '../controls/number-input.tsx'
import { RequestButton } from '../controls/request-button.tsx'
import { OutcomeLine, POWER_FIELDS, useBlocked, useSend } from '../controls/use-send.tsx'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import { Table } from '../parts/table.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import { budgetOf, grantedTo } from '../store/rail-power.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { PinPower, PinState, PowerConfig } from './pin-state.ts'
import { stepText } from './settings-text.ts'
import { useFollowed } from './use-trigger.ts'

type Decision = ReplyTo<'io', 'setPowerConfiguration'>

interface Properties {
  readonly slot: number
  readonly pins: readonly PinState[]
}

const { items } = clients.io.contract.endpoints.setPowerConfiguration.body.properties.config
const NONE: PinPower = { rail: '5_volt', current_milliampere: 0 }
/** Empty fields; the check of the request says what is missing. */
const UNKNOWN = { rail: undefined as unknown as PinPower['rail'], current_milliampere: Number.NaN }

const EVERY_MS = 1000
const ROWS = ['available', 'others', 'own', 'left'] as const

/** The power configuration of all six pins, with the budget before it is sent. */
export function PowerCard({ slot, pins }: Properties) {
  const texts = useTexts()
  const store = useStore()
  const set: PowerConfig = pins.map(({ power }) => (power === 'unknown' ? UNKNOWN : (power ?? NONE)))
  const config = useSignal(set)
  useFollowed(config, set)
  const supply = store.modules.list.value.find(({ service }) => service === 'power')
  const [decision, setDecision] = useState<Decision | undefined>(undefined)
  const [isKept, setKept] = useState(false)
  const plain = moduleWrite(store, 'io', slot, 'setPowerConfiguration', { config: config.value })
  const write = isKept ? { ...plain, send: () => io.power(config.value, { keep: true }) } : plain
  const { outcome, send } = useSend(write)
  const isUnknown = config.value.some(isIncomplete)
  const blocked = useBlocked(isUnknown ? { ...write, problem: texts.io.powerIncomplete } : write)
  const hint = isUnknown ? texts.io.powerIncomplete : texts.io.powerHint
  const io = store.module('io', slot)
  const run = async (): Promise<void> => {
    setDecision(undefined)
    // The new configuration replaces the power: only the settings of the pins are lost.
    const before = pins.map((pin) => ({ ...pin, power: null }))
    const lost = io.stepsBack(before, []).filter(({ endpoint }) => endpoint !== 'setInputMode')
    const lines = lost.map((step) => stepText(step, texts, io.signalOf))
    const reply = await send(write, {
      title: texts.io.powerAsk,
      text: isKept ? texts.io.powerKeeps(lines) : texts.io.powerResets(lines),
      confirm: texts.io.all.powerSet,
    })
    setDecision(reply as Decision | undefined)
  }
  const change = (which: number | 'all', part: Partial<PinPower> | undefined): void => {
    setDecision(undefined)
    config.value = config.peek().map((power, index) => (which === 'all' || which === index ? { ...power, ...part } : power))
  }
  return (
    <Card title={texts.io.all.power}>
      <div class="power-fields" id={POWER_FIELDS}>
        {config.value.map(({ rail, current_milliampere: current }, index) => (
          <div key={index} class="pin-power">
            <ChoiceInput
              label={texts.io.railOf(index + 1)}
              choices={items.properties.rail.enum}
              value={rail}
              onChange={(choice) => change(index, { rail: choice })}
            />
            <NumberInput
              schema={schemaIn(items, 'current_milliampere', { rail }) as IntegerSchema}
              label={texts.io.currentOf(index + 1)}
              value={Number.isNaN(current) ? undefined : current}
              onChange={(value = Number.NaN) => change(index, { current_milliampere: value })}
            />
          </div>
        ))}
      </div>
      <span class="action">
        <button type="button" onClick={() => change('all', config.peek()[0])}>
          {texts.io.all.allLikeFirst}
        </button>
      </span>
      {supply === undefined ? (
        <p class="muted">{`${texts.io.noBudget} ${hint}`}</p>
      ) : (
        <Budget
          slot={slot}
          supply={supply.slot}
          config={config.value.map((power) => (isIncomplete(power) ? NONE : power))}
          hint={hint}
        />
      )}
      <label>
        <input type="checkbox" checked={isKept} onChange={({ currentTarget }) => setKept(currentTarget.checked)} />{' '}
        {texts.io.powerKeep}
      </label>
      <span class="action">
        <button type="button" class="main" aria-disabled={blocked !== undefined} title={blocked} onClick={() => void run()}>
          {texts.io.all.powerSet}
        </button>
        <RequestButton write={write} />
        {decision === undefined ? <OutcomeLine outcome={outcome} /> : <DecisionLine decision={decision} />}
      </span>
    </Card>
  )
}

function isIncomplete({ rail, current_milliampere: current }: PinPower): boolean {
  return (rail as string | undefined) === undefined || Number.isNaN(current)
}

/** The answer of the power budget. A denial says what is missing on each rail. */
function DecisionLine({ decision: { status, too_much_power: missing } }: { readonly decision: Decision }) {
  const texts = useTexts()
  const rails = RAILS.map((rail) => [rail, missing[`rail_${rail}_milliwatt`]] as const).filter(([, milliwatt]) => milliwatt > 0)
  return (
    <span class="outcome" role="status" data-step={status === 'denied' ? 'failed' : 'done'}>
      {status === 'denied' ? texts.io.decision.denied : texts.io.decision.granted}
      {rails.map(
        ([rail, milliwatt]) => ` ${texts.io.missing(texts.io.rails[rail], `${milliwatt.toLocaleString(texts.language)} mW`)}`,
      )}
    </span>
  )
}

interface BudgetProperties {
  readonly slot: number
  /** Slot of the power module. */
  readonly supply: number
  readonly config: PowerConfig
  /** Below, while the budget is enough. */
  readonly hint: string
}

/** What the rails give, what is granted, what this configuration asks, and what is left. */
function Budget({ slot, supply, config, hint }: BudgetProperties) {
  const texts = useTexts()
  const store = useStore()
  const source = useReading('power', supply, 'getSource', EVERY_MS).value.value
  const modules = store.modules.list.value
  const descriptor = modules.find((module) => module.slot === slot)?.descriptor
  if (source === undefined || descriptor === undefined || modules.some((module) => module.descriptor === undefined))
    return <p class="muted">{`${texts.io.noBudget} ${hint}`}</p>
  const { power3v3, power5v0, power12v } = store.module('io', slot).powerNeed(config, descriptor)
  const own = { '3v3': power3v3, '5v0': power5v0, '12v': power12v }
  const others = grantedTo(modules.filter((module) => module.slot !== slot).map((module) => module.descriptor))
  const budget = budgetOf(source, { others, own }).map((row) => ({
    ...row,
    /** Below zero it is missing. */
    left: Math.floor(row.available - row.others - row.own),
  }))
  return (
    <>
      <Table
        caption={texts.io.budget}
        columns={[
          { title: texts.io.budgetRow, cell: (row: (typeof ROWS)[number]) => texts.io.budgetRows[row] },
          ...budget.map((part) => ({
            title: texts.io.rails[part.rail],
            isNumber: true,
            cell: (row: (typeof ROWS)[number]) => (
              <span class="number" data-missing={row === 'left' && part.left < 0}>
                {quantityText(part[row], 'mW', texts.language)}
              </span>
            ),
          })),
        ]}
        rows={ROWS}
        keyOf={(row) => row}
      />
      {budget.some(({ left }) => left < 0) ? <p class="error">{texts.io.tooMuch}</p> : <p class="muted">{hint}</p>}
    </>
  )
}
