import { quantityText } from '../parts/format.ts'
import { useLanguage, useTexts } from '../texts/use-texts.ts'
import type { BenchApi } from './api-document.ts'
import { GLYPH_WIDTH, Glyph } from './glyph.tsx'
import { shortLabel } from './label.ts'
import type { PinRow } from './layout.ts'

/** Right edge of the module, where the terminals of the pins are. */
export const TERMINAL_X = 112
const VOLTAGE_X = 100
const RADIUS = 4
const LABEL_GAP = 6
const MILLI = 1000

interface Properties {
  readonly row: PinRow
  readonly api: BenchApi | undefined
  /** Where elements begin, at the right of the lanes. */
  readonly elementX: number
  readonly isSelected: boolean
  readonly isInTabOrder: boolean
  /** Pins at the other ends of its wires, as text. */
  readonly wiredTo: readonly string[]
  readonly onSelect: () => void
}

/** One pin with its voltage and what is connected to it; a choice of the picture. */
export function PinMark({ row, api, elementX, isSelected, isInTabOrder, wiredTo, onSelect }: Properties) {
  const texts = useTexts()
  const language = useLanguage()
  const { place, pin, measured, y, top, height, elements } = row
  const volts = measured === undefined ? '–' : quantityText(measured.volts * MILLI, 'mV', language)
  const hanging = [...elements.map(({ connection: { description } }) => description), ...wiredTo.map(texts.bench.wiredTo)]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture has no native radio button
    <g
      class="pin-mark"
      role="radio"
      id={idOf(place)}
      tabindex={isInTabOrder ? 0 : -1}
      aria-checked={isSelected}
      aria-label={texts.bench.pinName(place, volts, hanging.join('; '))}
      data-wired={hanging.length > 0}
      onClick={onSelect}
    >
      <rect class="hit" x="1" y={top} width="100%" height={height} rx="4" />
      <text class="pin-number" x="12" y={y}>
        {pin}
      </text>
      <text class="volts" x={VOLTAGE_X} y={y}>
        {volts}
      </text>
      {elements.map(({ connection, y: elementY }) => {
        const kind = api?.elements.find(({ name }) => name === connection.kind)
        const label = shortLabel(connection, kind, language)
        const [, other] = connection.pins
        return (
          <g key={connection.connection}>
            <path class="lead" d={`M${TERMINAL_X} ${y}V${elementY}H${elementX}`} />
            <Glyph kind={connection.kind} x={elementX} y={elementY} />
            <text class="element" x={elementX + GLYPH_WIDTH + LABEL_GAP} y={elementY}>
              {label === '' ? texts.bench.kind(connection.kind) : label}
              {other !== undefined && ` ⇄ ${other}`}
            </text>
          </g>
        )
      })}
      <circle class="terminal" cx={TERMINAL_X} cy={y} r={RADIUS} />
    </g>
  )
}

export function idOf(place: string): string {
  return `pin-${place.replace('/', '-')}`
}
