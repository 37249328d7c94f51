export type { ScenarioWorld, WorldAnswer, WorldRequest } from './world.ts'
