import { useSignal } from '@preact/signals'
import { Card } from '../parts/card.tsx'
import { quantityText } from '../parts/format.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import { BENCH } from './api-document.ts'
import { KindSelect } from './kind-select.tsx'
import { OperationForm } from './operation-form.tsx'
import { useBench, useBenchPart } from './use-bench.ts'

const RESTART = `${BENCH}/restart`
const PATHS = ['/ambient', '/computer', '/rail', '/usb/attach', '/usb/detach', '/usb/host', '/restart'].map(
  (path) => BENCH + path,
)

/** What is around the modules: temperature, loads, USB, the supply. */
export function SurroundingsCard() {
  const texts = useTexts()
  const language = useLanguage()
  const bench = useBench()
  const path = useSignal(PATHS[0] ?? '')
  const around = useBenchPart(({ surroundings, usb }) => ({ ...surroundings, usb })).value
  const operations = PATHS.flatMap((each) => bench.api.value?.operations.get(each) ?? [])
  const operation = operations.find((each) => each.path === path.value)
  if (around === undefined) return null
  const { ambient_celsius: ambient, computer_watt: watt, rails, usb } = around
  return (
    <Card title={texts.bench.around.surroundings}>
      <dl class="bench-facts">
        <dt>{texts.bench.around.ambient}</dt>
        <dd>{quantityText(ambient, '°C', language)}</dd>
        <dt>{texts.bench.around.computer}</dt>
        <dd>{quantityText(watt, 'W', language)}</dd>
        {rails.map(({ rail, load_milliampere: load, offset_millivolt: offset }) => (
          <>
            <dt>{texts.bench.rail(texts.device.rails[rail])}</dt>
            <dd>
              +{quantityText(load, 'mA', language)}, {offset < 0 ? '' : '+'}
              {quantityText(offset, 'mV', language)}
            </dd>
          </>
        ))}
        <dt>USB</dt>
        <dd>{usb.devices.map(({ slot, product }) => `${texts.slot(slot)}: ${product}`).join(', ') || '–'}</dd>
      </dl>
      <KindSelect
        label={texts.bench.change}
        choices={operations.map((each) => ({ value: each.path, text: texts.bench.operation(each.path.slice(BENCH.length + 1)) }))}
        value={path.value}
        onChange={(chosen) => {
          path.value = chosen
        }}
      />
      {operation !== undefined && (
        <OperationForm
          key={operation.path}
          operation={operation}
          label={texts.set}
          question={operation.path === RESTART ? { title: texts.request.steps.ask, text: texts.bench.restartWarning } : undefined}
        />
      )}
    </Card>
  )
}
