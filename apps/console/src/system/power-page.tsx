import { RAILS } from '@slotwire/core'
import * as clients from '@slotwire/modules/clients'
import { Action, SendChoice } from '../controls/action.tsx'
import { FormField, useForm } from '../controls/form.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { quantityText } from '../parts/format.ts'
import { ModulePage } from '../parts/module-page.tsx'
import { RailsCard } from '../parts/rails-card.tsx'
import { Table } from '../parts/table.tsx'
import { Value } from '../parts/value.tsx'
import type { ReplyTo } from '../store/device-types.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

type Counter = keyof ReplyTo<'power', 'getProtectionLog'>
const { getProtectionLog, setFan } = clients.power.contract.endpoints
/** The sum of all is the last row. */
const COUNTERS = Object.keys(getProtectionLog.reply.properties) as Counter[]
const MODES = setFan.body.properties.fan_mode.enum

/** The page of one power module. */
export function PowerPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="power" slot={slot}>
      {() => (
        <>
          <RailsCard slot={slot} />
          <div class="columns">
            <div class="stack">
              <LimitsCard slot={slot} />
              <FanCard slot={slot} />
            </div>
            <ProtectionCard slot={slot} />
          </div>
        </>
      )}
    </ModulePage>
  )
}

/** How often each protection of the supply acted. The journal says when. */
function ProtectionCard({ slot }: { readonly slot: number }) {
  const { system } = useTexts()
  const log = useReading('power', slot, 'getProtectionLog', 1000)
  const count = (counter: Counter) => <Value reading={log} pick={(counters) => counters[counter]} unit="" />
  return (
    <Card title={system.protection} aside={<a href="#/events">{system.log.lastRise}</a>}>
      <Table
        caption={system.protection}
        columns={[
          { title: system.log.cause, cell: (counter) => system.counter(counter) },
          { title: system.log.count, isNumber: true, cell: count },
        ]}
        rows={COUNTERS}
        keyOf={(counter) => counter}
      />
      <p class="muted">{system.protectionHint}</p>
    </Card>
  )
}

/** Sets the current limits, and says before which of them switch a rail off. */
function LimitsCard({ slot }: { readonly slot: number }) {
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
  const store = useStore()
  const { limit_3v3, limit_5v0, limit_12v } = stats
  const form = useForm('power', 'setLimits', { limit_3v3, limit_5v0, limit_12v })
  const limits = form.input.value
  const write = moduleWrite(store, 'power', slot, 'setLimits', limits)
  const shown = (current: number): string => quantityText(current, 'mA', texts.language)
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
        question={warnings.length > 0 ? { title: texts.system.limitsAsk, text: warnings.join(' ') } : undefined}
      />
    </>
  )
}

/** The temperatures of the supply, and the fan: who controls it, its mode, and its speed if that is measured. */
function FanCard({ slot }: { readonly slot: number }) {
  const { system, device, language } = useTexts()
  const store = useStore()
  const reading = useReading('power', slot, 'getFan', 1000)
  const heat = useReading('power', slot, 'getTemperature', 1000)
  const rpm = useReading('power', slot, 'getFanRpm', 1000)
  const { fan_forced: isForced, fan_current_mode: current, fan_setting_mode: setting } = reading.value.value ?? {}
  const isMeasured = rpm.value.value?.enabled
  const { automatic, forced } = system.fanControls
  /** As fast as it is now: this choice alone never stops the fan. */
  const present = MODES.find((mode) => mode > 0 && mode >= (current ?? 0))
  const set = (fan_mode: (typeof MODES)[number] | undefined) =>
    moduleWrite(store, 'power', slot, 'setFan', {
      fan_forced: fan_mode !== undefined,
      ...(fan_mode === undefined ? {} : { fan_mode }),
    })
  return (
    <Card title={device.fan}>
      <Facts
        facts={[
          [device.sensors.on_board_temp, <Value reading={heat} pick={(reply) => reply.on_board_temp} unit="°C" />],
          [device.sensors.pmc_temp, <Value reading={heat} pick={(reply) => reply.pmc_temp} unit="°C" />],
          [system.fan.fanNow, <Value reading={reading} pick={(fan) => fan.fan_current_mode} unit="%" />],
          [
            system.fan.fanSpeed,
            isMeasured === false ? (
              <span class="muted">{device.rpmOff}</span>
            ) : (
              <Value reading={rpm} pick={(fan) => fan.rpm} unit="rpm" />
            ),
          ],
        ]}
      />
      <SendChoice
        label={system.fan.fanControl}
        choices={[false, true]}
        textOf={(choice) => (choice ? forced : automatic)}
        value={isForced}
        writeOf={(choice) => set(choice ? present : undefined)}
      />
      <SendChoice
        label={forced}
        choices={MODES}
        textOf={(percent) => `${percent} %`}
        value={isForced === true ? setting : undefined}
        writeOf={set}
      />
      {isForced === true && setting !== undefined && setting !== current && (
        <p class="muted">{system.fanDelay(quantityText(setting, '%', language))}</p>
      )}
      <SendChoice
        label={system.fan.fanMeasure}
        choices={[true, false]}
        value={isMeasured}
        writeOf={(choice) => moduleWrite(store, 'power', slot, 'setFanRpm', { measurement_enabled: choice })}
      />
    </Card>
  )
}
