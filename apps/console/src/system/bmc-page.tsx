import { Action } from '../controls/action.tsx'
import { ChoiceInput } from '../controls/choice-input.tsx'
import { FormField, useForm } from '../controls/form.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { timeOfDay } from '../parts/format.ts'
import { Meter } from '../parts/meter.tsx'
import { ModulePage } from '../parts/module-page.tsx'
import { problemText } from '../parts/problem-list.tsx'
import { Value } from '../parts/value.tsx'
import type { ModuleView } from '../store/device-types.ts'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'
import { UsbCard } from './usb-card.tsx'

const FIRST_SOUND = 2
const SHORT_MS = 200
const MINUTE_MS = 60_000
const SECOND_MS = 1000

/** The page of one bmc module. */
export function BmcPage({ slot }: { readonly slot: number }) {
  return (
    <ModulePage service="bmc" slot={slot}>
      {(module) => (
        <div class="columns">
          <div class="stack">
            <WatchdogCard slot={slot} />
            <ResetCard slot={slot} />
            <BootloaderCard module={module} />
          </div>
          <div class="stack">
            <UsbCard module={module} />
            <MainboardCard slot={slot} />
            <BuzzerCard slot={slot} />
          </div>
        </div>
      )}
    </ModulePage>
  )
}

/** The watchdog with its countdown: set, feed, switch off, save. */
function WatchdogCard({ slot }: { readonly slot: number }) {
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
      {value?.emergency_mode === true && <p class="notice">{problemText({ kind: 'emergency', service: 'bmc', slot }, texts)}</p>}
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
        {left === 0 ? texts.system.watchdogOver : texts.system.watchdogEnds(timeOfDay(wallTime() + left, texts.language))}
      </p>
    </>
  )
}

/** Voltages and temperatures of the mainboard. */
function MainboardCard({ slot }: { readonly slot: number }) {
  const { device, system } = useTexts()
  const voltage = useReading('bmc', slot, 'getVoltage', 1000)
  const temperature = useReading('bmc', slot, 'getTemperature', 1000)
  return (
    <Card title={system.board.mainboard}>
      <Facts
        facts={[
          [system.board.voltage_1v8, <Value reading={voltage} pick={(reply) => reply.voltage_1v8} unit="mV" />],
          [system.board.voltage_rtc, <Value reading={voltage} pick={(reply) => reply.voltage_rtc} unit="mV" />],
          [device.sensors.ntc_0, <Value reading={temperature} pick={(reply) => reply.ntc_0} unit="°C" />],
          [device.sensors.ntc_1, <Value reading={temperature} pick={(reply) => reply.ntc_1} unit="°C" />],
        ]}
      />
    </Card>
  )
}

/** Plays a sound, or switches the mainboard's own sounds. */
function BuzzerCard({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { buzzer, buzzerMode, buzzerModes, buzzerSend } = texts.system
  const form = useForm('bmc', 'setBuzzer', { mode: FIRST_SOUND, duration: SHORT_MS })
  const { mode } = form.input.value
  const isSound = mode >= FIRST_SOUND
  return (
    <Card title={buzzer}>
      <ChoiceInput
        label={buzzerMode}
        choices={[...buzzerModes.keys()]}
        textOf={(choice) => buzzerModes[choice] ?? ''}
        value={mode}
        onChange={(choice) => {
          form.input.value = { ...form.input.peek(), mode: choice }
        }}
      />
      <div class="fields">
        {isSound && <FormField form={form} name="duration" />}
        <Action
          write={moduleWrite(useStore(), 'bmc', slot, 'setBuzzer', form.input.value)}
          label={isSound ? buzzerSend : texts.set}
        />
      </div>
    </Card>
  )
}

/** Shuts the device down, or resets it; and how long a shutdown may take. */
function ResetCard({ slot }: { readonly slot: number }) {
  const texts = useTexts()
  const { system } = texts
  const store = useStore()
  const { value } = useReading('bmc', slot, 'getWatchdog', 1000).value
  const time = texts.duration(value?.shutdown_timeout ?? 0)
  return (
    <Card title={system.down.shutdown}>
      {value !== undefined && <ShutdownTime slot={slot} timeout={value.shutdown_timeout} />}
      <div class="line">
        <Action
          write={moduleWrite(store, 'bmc', slot, 'startShutdown', { shutdown: 'start' })}
          label={system.down.startShutdown}
          question={{ title: system.down.shutdownAsk, text: system.shutdownWill(time), confirm: system.down.startShutdown }}
        />
        <Action
          write={moduleWrite(store, 'bmc', slot, 'hardReset', { reset: 'yes' })}
          label={system.hard.hardReset}
          question={{ title: system.hard.hardResetAsk, text: system.hardResetWill, confirm: system.hard.hardReset }}
        />
      </div>
    </Card>
  )
}

function ShutdownTime({ slot, timeout }: { readonly slot: number; readonly timeout: number }) {
  const texts = useTexts()
  const form = useForm('bmc', 'setShutdownTimeout', { timeout })
  return (
    <div class="fields">
      <FormField form={form} name="timeout" label={texts.system.shutdownTime} />
      <Action write={moduleWrite(useStore(), 'bmc', slot, 'setShutdownTimeout', form.input.value)} label={texts.set} />
    </div>
  )
}

/** Arms the USB bootloader of the computer. Nothing reads it back: shown is what was acknowledged in this session. */
function BootloaderCard({ module: { slot, state } }: { readonly module: ModuleView }) {
  const { system } = useTexts()
  const store = useStore()
  const form = useForm('bmc', 'setUsbBootloader', { enabled: true, timeout: 0 })
  const setting = state['usb_bootloader'] as { readonly enabled: boolean } | 'unknown' | undefined
  const step = typeof setting !== 'object' ? 'unknown' : setting.enabled ? 'armed' : 'off'
  return (
    <Card
      title={system.boot.bootloader}
      aside={<Badge tone={step === 'armed' ? 'warn' : 'quiet'}>{system.bootloaderStates[step]}</Badge>}
    >
      <p class="muted">{system.bootloaderHint}</p>
      <div class="fields">
        <FormField form={form} name="timeout" label={system.bootloaderTime} />
      </div>
      <div class="line">
        <Action
          write={moduleWrite(store, 'bmc', slot, 'setUsbBootloader', form.input.value)}
          label={system.boot.bootloaderArm}
          question={{ title: system.bootloaderAsk, text: system.bootloaderWill, confirm: system.boot.bootloaderArm }}
        />
        <Action
          write={moduleWrite(store, 'bmc', slot, 'setUsbBootloader', { enabled: false })}
          label={system.boot.bootloaderDisarm}
          question={false}
        />
      </div>
    </Card>
  )
}
