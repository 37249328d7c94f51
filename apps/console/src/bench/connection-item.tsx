import { useSignal } from '@preact/signals'
import { Action } from '../controls/action.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { BENCH, type Values } from './api-document.ts'
import type { Connection } from './bench-types.ts'
import { BodyFields } from './body-fields.tsx'
import { useBench } from './use-bench.ts'

/** How long a button is held down, in milliseconds. */
const PRESS_MS = 100

/** An element or a wire of a pin: press it, change it, or remove it. */
export function ConnectionItem({ connection }: { readonly connection: Connection }) {
  const texts = useTexts()
  const bench = useBench()
  const { connection: number, kind, description, settings } = connection
  const set = (values: Values) => bench.write('/connection/{number}/set', { number }, values)
  const [press, hold] =
    'pressed' in settings ? [set({ press_for_ms: PRESS_MS }), set({ pressed: settings['pressed'] !== true })] : []
  const remove = bench.write('/connection/{number}/disconnect', { number })
  return (
    <li class="connection">
      <span class="what">
        <strong>{texts.bench.kind(kind)}</strong> <span class="muted">{description}</span>
      </span>
      <span class="row">
        {press !== undefined && <Action write={press} label={texts.bench.buttons.press} />}
        {hold !== undefined && (
          <Action write={hold} label={settings['pressed'] === true ? texts.bench.buttons.release : texts.bench.buttons.hold} />
        )}
        {remove !== undefined && <Action write={remove} label={texts.bench.buttons.remove} />}
      </span>
      {Object.keys(settings).length > 0 && (
        <details>
          <summary>{texts.bench.change}</summary>
          <ChangeForm connection={connection} />
        </details>
      )}
    </li>
  )
}

/** The settings of an element; only what the user changed is sent. */
function ChangeForm({ connection: { connection: number, kind, settings } }: { readonly connection: Connection }) {
  const texts = useTexts()
  const bench = useBench()
  const changed = useSignal<Values>({})
  const all = bench.api.value?.operations.get(`${BENCH}/connection/{number}/set`)?.body?.properties ?? {}
  const own = bench.api.value?.elements.find(({ name }) => name === kind)?.body?.properties ?? {}
  const names = Object.keys(settings).filter((name) => name in all && name !== 'pressed')
  const properties = Object.fromEntries(
    names.flatMap((name) => {
      const schema = own[name] ?? all[name]
      return schema === undefined ? [] : [[name, schema]]
    }),
  )
  const write = bench.write('/connection/{number}/set', { number }, changed.value)
  if (write === undefined) return null
  return (
    <div class="operation-form">
      <BodyFields
        schema={{ type: 'object', properties, required: names, additionalProperties: false }}
        values={{ ...settings, ...changed.value }}
        onChange={(values) => {
          changed.value = Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== settings[name]))
        }}
      />
      {write.problem !== undefined && <p class="form-problem">{write.problem}</p>}
      <Action write={write} label={texts.set} isMain />
    </div>
  )
}
