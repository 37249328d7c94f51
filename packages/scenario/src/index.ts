export type { CatalogEntry, ModuleCatalog } from './catalog.ts'
export {
  changesOf,
  mistakesElsewhere,
  type ParsedRig,
  type ParseOptions,
  parseRig,
  parseScenario,
} from './parse-scenario.ts'
export { plainFields, readWords } from './read/words.ts'
export { FrameRecorder, formatTransfer } from './recording/frame-recorder.ts'
export type { PinWaveform } from './report/chart.ts'
export { drawFailure, drawLanes, type Mark } from './report/draw-lanes.ts'
export { formatJunit, formatReport } from './report/format-report.ts'
export { asFastAsPossible, inRealTime, type Pacer } from './run/pacer.ts'
export type { Failure, ScenarioProgress, ScenarioResult, StepOutcome } from './run/result.ts'
export { pinsOf, type RunOptions, runScenario } from './run/run-scenario.ts'
export type { Scenario, ScenarioPowerMode, ScenarioStep } from './scenario.ts'
export { formatProblem, ScenarioError, type ScenarioProblem } from './scenario.ts'
export type { ScenarioWorld, WorldAnswer, WorldJournal, WorldRecord, WorldRequest } from './world.ts'
