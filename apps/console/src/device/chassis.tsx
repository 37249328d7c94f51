import * as clients from '@slotwire/modules/clients'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { problemText, useProblems } from '../parts/problem-list.tsx'
import type { Problem } from '../store/health.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { BoardGlance, PinsGlance, SupplyGlance } from './glances.tsx'

const { max: LAST_SLOT } = clients.bmc.contract.endpoints.setUsbSlot.parameters.number
const SLOTS = Array.from({ length: LAST_SLOT + 1 }, (_, slot) => slot)

/** The slots as on the device, with what is in them. */
export function Chassis() {
  const texts = useTexts()
  const problems = useProblems()
  return (
    <Card title={texts.device.slots} aside={<DeviceState />}>
      <ol class="chassis">
        {SLOTS.map((slot) => (
          <Slot key={slot} slot={slot} problems={problems} />
        ))}
      </ol>
    </Card>
  )
}

/** Whether the device runs or restarts. */
function DeviceState() {
  const { device } = useTexts()
  const { isRestarting, link } = useStore()
  if (isRestarting.value) return <Badge tone="bad">{device.states.restarting}</Badge>
  return link.state.value.isConnected ? (
    <Badge tone="good">{device.states.up}</Badge>
  ) : (
    <Badge tone="warn">{device.states.unknown}</Badge>
  )
}

function Slot({ slot, problems }: { readonly slot: number; readonly problems: readonly Problem[] }) {
  const texts = useTexts()
  const { modules, hidden, isRestarting } = useStore()
  const module = modules.list.value.find((each) => each.slot === slot)
  const notice = modules.notices.value.get(slot)?.what
  const hung = modules.hung.value.get(slot)
  const problem = problems.find((each) => each.kind === 'unreadable' && each.slot === slot)
  const alerts = problems.flatMap((each) => (each.kind === 'alerts' && each.slot === slot ? [each.pin] : []))
  const empty = hidden.value.length === 0 ? texts.device.empty : texts.device.emptyOrHidden
  const gone = isRestarting.value ? texts.device.states.restarting : texts.device.gone
  if (module === undefined)
    return (
      <li class="slot" data-state={hung === undefined ? (notice ?? 'empty') : 'hung'}>
        <span class="slot-number">{slot}</span>
        <span class="empty">
          <span class="hidden-text">{texts.slot(slot)}: </span>
          {hung !== undefined ? texts.device.hung(texts.service(hung)) : notice === 'left' ? gone : empty}
        </span>
      </li>
    )
  const { service, state } = module
  return (
    <li class="slot" data-state={notice ?? 'used'} data-service={service}>
      <header>
        <span class="slot-number" aria-hidden="true">
          {slot}
        </span>
        <a href={`#/${service}/${slot}`}>
          {texts.service(service)}
          <span class="hidden-text"> {texts.slot(slot)}</span>
        </a>
      </header>
      {notice === 'new-session' && <small class="error">{texts.device.lostSession}</small>}
      {problem !== undefined && <small class="error">{problemText(problem, texts)}</small>}
      {service === 'io' && <PinsGlance slot={slot} state={state} alerts={alerts} />}
      {service === 'power' && <SupplyGlance slot={slot} />}
      {service === 'bmc' && <BoardGlance slot={slot} />}
    </li>
  )
}
