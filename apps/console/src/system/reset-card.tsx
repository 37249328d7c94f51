import { Action } from '../controls/action.tsx'
import { FormField } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Card } from '../parts/card.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Shuts the device down, or resets it; and how long a shutdown may take. */
export function ResetCard({ slot }: { readonly slot: number }) {
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
