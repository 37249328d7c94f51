import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Route } from './route.ts'

/** The pages: the device, its modules by slot, events, and the bench of a virtual device. */
export function Navigation({ route }: { readonly route: Route }) {
  const texts = useTexts()
  const { modules, about, isRestarting } = useStore()
  const restarting = [...modules.notices.value.values()].filter(({ what }) => isRestarting.value && what === 'left')
  const present = [...modules.list.value, ...restarting].sort((one, other) => one.slot - other.slot)
  const { pages, device, events, bench, reference } = texts.shell.places
  const items: readonly Omit<ItemProperties, 'route'>[] = [
    { page: 'device', text: device },
    ...present.map(({ slot, service }) => ({ page: service, slot, text: texts.service(service) })),
    { page: 'events', text: events },
    ...(about.value?.hasBench === true ? [{ page: 'bench', text: bench }] : []),
  ]
  return (
    <nav aria-label={pages}>
      {items.map((item) => (
        <Item key={item.slot ?? item.page} route={route} {...item} />
      ))}
      <a href="/slotwire/docs" class="outside">
        {reference}
      </a>
    </nav>
  )
}

interface ItemProperties {
  readonly route: Route
  readonly page: string
  readonly slot?: number
  readonly text: string
}

function Item({ route, page, slot, text }: ItemProperties) {
  const texts = useTexts()
  const isCurrent = route.page === page && route.slot === slot
  const path = page === 'device' ? '' : slot === undefined ? page : `${page}/${slot}`
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [isCurrent])
  return (
    <a ref={link} href={`#/${path}`} aria-current={isCurrent ? 'page' : undefined}>
      {slot !== undefined && (
        <span class="slot-number" aria-hidden="true">
          {slot}
        </span>
      )}
      {text}
      {slot !== undefined && <span class="hidden-text">{texts.slot(slot)}</span>}
    </a>
  )
}
