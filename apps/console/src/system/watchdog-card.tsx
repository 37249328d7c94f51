import { Action } from '../controls/action.tsx'
import { FormField } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { timeOfDay } from '../parts/format.ts'
import { Meter } from '../parts/meter.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

const MINUTE_MS = 60_000
const SECOND_MS = 1000

/** The watchdog with its countdown: set, feed, switch off, save. */
export function WatchdogCard({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { system } = texts
  const store = useStore()
  const form = useForm('bmc', 'setWatchdog', { timeout: MINUTE_MS })
  const { value } = useReading('bmc', slot, 'getWatchdog', SECOND_MS).value
  const isOn = value !== undefined && value.timeout > 0
  const { timeout } = form.input.value
  const feed = moduleWrite(store, 'bmc', slot, 'feedWatchdog')
  const set = moduleWrite(store, 'bmc', slot, 'setWatchdog', form.input.value)
  const question = { title: system.watchdogAsk, text: system.watchdogWill(texts.duration(timeout)), confirm: system.feeding.arm }
  return (
    <Card
      title={texts.device.watchdog}
      aside={value === undefined ? undefined : <Badge tone={isOn ? 'warn' : 'quiet'}>{texts.word(String(isOn))}</Badge>}
    >
      {value?.emergency_mode === true && <p class="notice">{texts.device.emergency}</p>}
      <Countdown slot={slot} />
      <div class="fields">
        <FormField form={form} name="timeout" label={system.watchdogTime} />
      </div>
      <div class="line">
        <Action write={set} label={system.feeding.arm} question={timeout === 0 ? false : question} isMain />
        <Action write={isOn ? feed : { ...feed, problem: system.watchdogIdle }} label={system.feeding.feed} />
        <Action
          write={moduleWrite(store, 'bmc', slot, 'setWatchdog', { timeout: 0 })}
          label={system.feeding.disarm}
          question={false}
        />
        <Action write={moduleWrite(store, 'bmc', slot, 'saveWatchdog')} label={system.feeding.save} />
      </div>
    </Card>
  )
}

function Countdown({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const language = useLanguage()
  const { wallTime } = useStore()
  const reading = useReading('bmc', slot, 'getWatchdog', SECOND_MS)
  const { value, isStale, ageMs } = reading.value
  if (value === undefined) return null
  const { timeout, timeout_left: left } = value
  if (timeout === 0) return <p class="muted">{texts.system.watchdogIdle}</p>
  const seconds = Math.ceil(left / SECOND_MS)
  const shown = `${seconds} s`
  return (
    <>
      <p class="countdown">
        <span class="value" data-stale={isStale}>
          <output class="number" aria-label={texts.system.timeLeft} aria-live="off">
            {texts.device.watchdogLeft(shown, texts.duration(timeout))}
          </output>
          {isStale && <span class="age">{texts.old(ageMs)}</span>}
        </span>
        <Meter label={shown} total={timeout} drawn={left} granted={undefined} />
      </p>
      <p class="notice">
        {left === 0 ? texts.system.watchdogOver : texts.system.watchdogEnds(timeOfDay(wallTime() + left, language))}
      </p>
    </>
  )
}
