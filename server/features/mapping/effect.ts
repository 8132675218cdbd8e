// Reviews of files that may belong to one of several products: a person chooses.
import { defineEffect } from '../../engine/effect.ts'
import { recordReviews } from './model/reviews.ts'

export const reviewEffect = defineEffect({
  name: 'candidates',
  write: (tx, operation, requests) =>
    recordReviews(
      tx,
      operation.id,
      requests
        .map(({ item, file, values }) => ({
          fileId: file,
          candidates: values.flat(),
          replaces: item.record?.mapping_state === 'mapped',
        }))
        .filter(({ candidates }) => candidates.length > 0),
    ),
})
