// What a step's outcome asks for in addition to the change of its file: a link, a mail to buyers, new
// files. The engine collects these requests and calls the effect's writer in the transaction that
// writes the outcome. It knows no single effect: they are listed in server/features.ts.
import type { AnyText } from '../../plugins/contract/index.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { OperationRow, WorkItem, EffectName, EffectValue } from './types.ts'

/** An item whose steps gave these values for the effect. */
export interface EffectRequest<Value> {
  item: WorkItem
  /** The bare UUID of its file; '' while an import has not created it. */
  file: string
  /** The fields of its file that have changed, as they were before. */
  before: Readonly<Record<string, unknown>>
  values: readonly Value[]
}

/** What the outcome of each item records as `after`. */
export type EffectRecords = ReadonlyMap<WorkItem, Record<string, unknown>>

/** Why an effect refuses an item. */
export interface EffectProblem {
  code: ErrorCode
  message: AnyText
}

/** The result of `prepare` for one item: why it is refused, or what its outcome records. */
export type PreparedEffect =
  | { problem: EffectProblem; record?: never }
  | { problem?: never; record: Record<string, unknown> }

/**
 * Writes one effect, in the transaction of the outcomes. An effect has only the functions that it
 * needs, and none of them is called without a request. An error of a function rolls back the
 * transaction.
 */
export interface Effect<Name extends EffectName = EffectName> {
  /** The field of an outcome that asks for it. */
  name: Name
  /**
   * Called before the files are changed. An item with a problem fails, and its file stays as it
   * was; the outcomes of the others have the record.
   */
  prepare?(
    tx: ShopScope,
    operation: OperationRow,
    requests: readonly EffectRequest<EffectValue<Name>>[],
  ): Promise<ReadonlyMap<WorkItem, PreparedEffect>>
  /** Takes back what `prepare` did for items whose change was refused. */
  takeBack?(tx: ShopScope, operation: string, items: readonly WorkItem[]): Promise<void>
  /**
   * Called after the files are changed, for items that are done. Returns what their outcomes
   * record.
   */
  write?(
    tx: ShopScope,
    operation: OperationRow,
    requests: readonly EffectRequest<EffectValue<Name>>[],
  ): Promise<EffectRecords | void>
  /** Returns what a preview shows for items that would be done. Writes nothing. */
  preview?(
    tx: ShopScope,
    requests: readonly EffectRequest<EffectValue<Name>>[],
  ): Promise<EffectRecords | void>
  /** Undoes what outcomes recorded under this effect's name. */
  undo?(tx: ShopScope, recorded: readonly unknown[]): Promise<void>
}

/** Erases the type of an effect for the list of effects. */
export const defineEffect = <Name extends EffectName>(effect: Effect<Name>): Effect =>
  effect as unknown as Effect
