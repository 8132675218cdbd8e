// New files that an operation makes from others: parts of a document, or several documents merged.
// Each is recorded with its place among them: this shows where they came from, and undo needs it.
import { settingsOf, type StagedFile, english } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from '../files/admit.ts'
import type { AdmissionLimits } from '../files/admission.ts'
import type { Draft } from '../files/drafts.ts'
import type { OperationRow, WorkItem } from './types.ts'
import { itemDraft } from './item-work.ts'
import { defineEffect, type EffectProblem, type PreparedEffect } from './effect.ts'

/**
 * The effect that admits the files which items made. If one of them is refused, no file of that
 * item is kept.
 */
export const createdFiles = (limits: AdmissionLimits) =>
  defineEffect({
    name: 'created',
    prepare: async (tx, operation, requests) => {
      const prepared = new Map<WorkItem, PreparedEffect>()
      for (const { item, values } of requests) {
        const files = values.flat()
        const model = itemDraft(item)
        const made = await admitCreated(tx, operation, item.position, files, model, limits)
        prepared.set(item, 'code' in made ? { problem: made } : { record: { created_files: made } })
      }
      return prepared
    },
    takeBack: async (tx, operation, items) => {
      await tx.query(
        `with gone as (
           delete from created_files where shop_id = :shop and operation_id = :operation
             and position = any(:positions)
           returning file_id
         )
         delete from files using gone where files.shop_id = :shop and files.id = gone.file_id`,
        { operation, positions: items.map(({ position }) => position) },
      )
    },
  })

/**
 * Admits all of the files or none.
 * @param position the item that made them; below 0: -1 minus the index of the last step that made
 *   them
 * @param model the draft whose fields they get, except for names and tags
 * @returns their names, or why one of them is refused
 */
export async function admitCreated(
  tx: ShopScope,
  { id, channel }: Pick<OperationRow, 'id' | 'channel'>,
  position: number,
  created: readonly StagedFile[],
  model: Draft,
  limits: AdmissionLimits,
): Promise<readonly string[] | EffectProblem> {
  try {
    return await tx.transaction(async (inner) => {
      const admitted = await admitFiles(
        inner,
        created.map(({ filename, bytes, tags }) => ({
          draft: { ...inheritedDraft(model), filename, tags: [...(tags ?? model.tags)] },
          staged: bytes,
          onConflict: 'rename',
          channel,
        })),
        limits,
      )
      const wrong = admitted.find((one) => one.status === 'refused')
      if (wrong) throw new RefusedAdmission(wrong)
      const files = admitted.map((one) => ('fileId' in one ? one.fileId : null))
      await inner.query(
        `insert into created_files (shop_id, operation_id, position, ordinal, file_id)
         select :shop, :id, :position, (n - 1)::int, file from unnest(:files::uuid[])
           with ordinality as t(file, n)`,
        { id, position, files },
      )
      return admitted.flatMap((one) => ('filename' in one ? [one.filename] : []))
    })
  } catch (error) {
    if (error instanceof RefusedAdmission) return error.problem
    throw error
  }
}

/** Thrown only to roll back the files that were admitted before. */
class RefusedAdmission extends Error {
  readonly problem: EffectProblem
  constructor(problem: EffectProblem) {
    super(english(problem.message))
    this.problem = problem
  }
}

/** The fields that a new file inherits: neither a place in a pack nor being in the trash. */
const inheritedDraft = ({ mappings, ...draft }: Draft): Draft => ({
  filename: draft.filename,
  tags: draft.tags,
  mappings: mappings.map((mapping) => ({ ...mapping })).filter(({ method }) => method !== 'pack'),
  ...settingsOf(draft),
})

// Versions that an operation replaces and does not keep: they expire when it can no longer be
// undone.

export const droppedVersions = defineEffect({
  name: 'drop_previous',
  write: (_tx, _operation, requests) =>
    Promise.resolve(
      new Map(
        requests
          .filter(({ before }) => before.version !== undefined)
          .map(({ item }) => [item, { drop_previous: true }]),
      ),
    ),
})
