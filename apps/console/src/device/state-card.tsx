import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import { Meter } from '../parts/meter.tsx'
import { useReading, useStore } from '../store/use-store.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'

const WATCHDOG_MS = 1000

/** Whether the device runs or restarts, and its watchdog. */
export function StateCard({ bmc }: { readonly bmc: number | undefined }) {
  const texts = useTexts()
  const { isRestarting, link } = useStore()
  return (
    <Card
      title={texts.device.states.state}
      aside={bmc === undefined ? undefined : <a href={`#/bmc/${bmc}`}>{texts.device.more}</a>}
    >
      <dl class="facts">
        <div>
          <dt>{texts.device.title}</dt>
          <dd>
            {isRestarting.value ? (
              <Badge tone="bad">{texts.device.states.restarting}</Badge>
            ) : link.state.value.isConnected ? (
              <Badge tone="good">{texts.device.states.up}</Badge>
            ) : (
              <Badge tone="warn">{texts.device.states.unknown}</Badge>
            )}
          </dd>
        </div>
        {bmc !== undefined && <Watchdog slot={bmc} />}
      </dl>
    </Card>
  )
}

function Watchdog({ slot }: { readonly slot: number }) {
  const { device } = useTexts()
  const language = useLanguage()
  const { value, isStale } = useReading('bmc', slot, 'getWatchdog', WATCHDOG_MS).value
  if (value === undefined) return null
  const { timeout, timeout_left: left, shutdown_timeout: shutdown, emergency_mode: isEmergency } = value
  const text = (ms: number): string => quantityText(ms, 'ms', language)
  const leftText = timeout === 0 ? device.watchdogOff : device.watchdogLeft(text(left), text(timeout))
  return (
    <>
      <div>
        <dt>{device.watchdog}</dt>
        <dd class="value" data-stale={isStale}>
          <span class="number">{leftText}</span>
        </dd>
      </div>
      {timeout > 0 && (
        <div>
          <Meter label={leftText} total={timeout} drawn={left} granted={undefined} />
        </div>
      )}
      <div>
        <dt>{device.shutdown}</dt>
        <dd class="number">{text(shutdown)}</dd>
      </div>
      {isEmergency && <p class="error">{device.emergency}</p>}
    </>
  )
}
