import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Route } from './route.ts'

/** The pages: the device, its modules by slot, events, and the bench of a virtual device. */
export function Navigation({ route }: { readonly route: Route }) {
  const texts = useTexts()
  const { modules, about, isRestarting } = useStore()
  const restarting = [...modules.notices.value.values()].filter(({ what }) => isRestarting.value && what === 'left')
  const places = [...modules.list.value, ...restarting].sort((one, other) => one.slot - other.slot)
  return (
    <nav aria-label={texts.shell.places.pages}>
      <Item route={route} page="device">
        {texts.shell.places.device}
      </Item>
      {places.map(({ slot, service }) => (
        <Item key={slot} route={route} page={service} slot={slot}>
          <span class="slot-number" aria-hidden="true">
            {slot}
          </span>
          {texts.service(service)}
          <span class="hidden-text">{texts.slot(slot)}</span>
        </Item>
      ))}
      <Item route={route} page="events">
        {texts.shell.places.events}
      </Item>
      {about.value?.hasBench === true && (
        <Item route={route} page="bench">
          {texts.shell.places.bench}
        </Item>
      )}
      <a href="/slotwire/docs" class="outside">
        {texts.shell.places.reference}
      </a>
    </nav>
  )
}

interface ItemProperties {
  readonly route: Route
  readonly page: string
  readonly slot?: number
  readonly children: ComponentChildren
}

function Item({ route, page, slot, children }: ItemProperties) {
  const isCurrent = route.page === page && route.slot === slot
  const path = page === 'device' ? '' : slot === undefined ? page : `${page}/${slot}`
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [isCurrent])
  return (
    <a ref={link} href={`#/${path}`} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  )
}
