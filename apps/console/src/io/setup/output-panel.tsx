import * as clients from '@slotwire/modules/clients'
import { SendChoice } from '../../controls/send-choice.tsx'
import { useStore } from '../../store/use-store.ts'
import { moduleWrite } from '../../store/write.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { levelOf } from '../pin-state.ts'
import { NeedsPower } from './needs-power.tsx'
import type { PanelProperties } from './panel-properties.ts'

const { state: LEVEL } = clients.io.contract.endpoints.setOutputState.body.properties

/** An output, high or low. */
export function OutputPanel({ slot, state }: PanelProperties) {
  const texts = useTexts()
  const store = useStore()
  const { pin, mode } = state
  return (
    <div class="fields">
      <SendChoice
        label={mode === 'output' ? texts.io.levels.drive : texts.io.levels.driveNow}
        choices={LEVEL.enum}
        value={levelOf(state)}
        writeOf={(choice) => moduleWrite(store, 'io', slot, 'setOutputState', { pin, state: choice })}
      />
      <NeedsPower state={state} />
    </div>
  )
}
