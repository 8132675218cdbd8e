// What a feature needs to run the steps of a workflow over files outside an operation, such as the
// files of one buyer's delivery.
export { BrokenStep, resolveSteps, writeContext } from './batches/context.ts'
export { MAX_ATTEMPTS } from './batches/failure.ts'
export { loadRecords, obstacleOf } from './batches/item-work.ts'
export { runSteps, type BatchContext } from './batches/run-steps.ts'
export { freshItem } from './batches/work-items.ts'
