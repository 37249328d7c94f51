import type { Signal } from '@preact/signals'
import type { IntegerSchema } from '@slotwire/contract'
import * as clients from '@slotwire/modules/clients'
import { ChoiceInput } from '../../controls/choice-input.tsx'
import { NumberInput } from '../../controls/number-input.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import type { PinPower, PowerConfig } from '../pin-state.ts'

const { items } = clients.io.contract.endpoints.setPowerConfiguration.body.properties.config

/** The bounds of the current depend on the rail. */
function currentOn(rail: PinPower['rail']): IntegerSchema {
  const rule = items.allOf?.find((condition) => condition.if.properties['rail']?.const === rail)
  return (rule?.then.properties?.['current_milliampere'] as IntegerSchema | undefined) ?? items.properties.current_milliampere
}

/** Rail and current of each pin. */
export function PowerFields({ config }: { readonly config: Signal<PowerConfig> }) {
  const texts = useTexts()
  const change = (index: number, part: Partial<PinPower>): void => {
    config.value = config.peek().map((power, of) => (of === index ? { ...power, ...part } : power))
  }
  return (
    <div class="power-fields">
      {config.value.map(({ rail, current_milliampere: current }, index) => (
        <div key={index} class="pin-power">
          <ChoiceInput
            label={texts.io.railOf(index + 1)}
            choices={items.properties.rail.enum}
            value={rail}
            onChange={(choice) => change(index, { rail: choice })}
          />
          <NumberInput
            schema={currentOn(rail)}
            label={texts.io.currentOf(index + 1)}
            value={Number.isNaN(current) ? undefined : current}
            onChange={(value) => change(index, { current_milliampere: value ?? Number.NaN })}
          />
        </div>
      ))}
    </div>
  )
}
