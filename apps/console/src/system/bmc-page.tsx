import { ModulePage } from '../parts/module-page.tsx'
import type { PageProperties } from '../parts/page-properties.ts'
import { BootloaderCard } from './bootloader-card.tsx'
import { BuzzerCard } from './buzzer-card.tsx'
import { MainboardCard } from './mainboard-card.tsx'
import { ResetCard } from './reset-card.tsx'
import { UsbCard } from './usb-card.tsx'
import { WatchdogCard } from './watchdog-card.tsx'

/** The page of one bmc module. */
export function BmcPage({ slot }: PageProperties) {
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
