import { Action } from '../controls/action.tsx'
import { FormField } from '../controls/field.tsx'
import { useForm } from '../controls/form.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import type { ModuleView } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { moduleWrite } from '../store/write.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Arms the USB bootloader of the computer. Nothing reads it back: shown is what was acknowledged in this session. */
export function BootloaderCard({ module: { slot, state } }: { readonly module: ModuleView }) {
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
