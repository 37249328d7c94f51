import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { ModuleView, Service } from '../store/device-types.ts'
import { useStore } from '../store/use-store.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Badge } from './badge.tsx'

interface Properties {
  readonly service: Service
  readonly slot: number
  readonly children: (module: ModuleView) => ComponentChildren
}

/** The frame of a module's page: its title, and what to say while the module is not there. */
export function ModulePage({ service, slot, children }: Properties) {
  const texts = useTexts()
  const { isRestarting, modules } = useStore()
  const module = useComputed(() => modules.list.value.find((each) => each.slot === slot && each.service === service)).value
  const missing = isRestarting.value
    ? texts.events.sentences['device restarting']
    : texts.device.missing(texts.service(service), slot)
  const { serial_code: serial, product_name: product } = module?.descriptor ?? {}
  return (
    <>
      <header class="page-title">
        <h1>
          {texts.service(service)} <small>{texts.slot(slot)}</small>
        </h1>
        {product !== undefined && <span class="muted">{product}</span>}
        {serial !== undefined && <Badge>{serial}</Badge>}
      </header>
      {module === undefined ? <p class="notice">{missing}</p> : children(module)}
    </>
  )
}
