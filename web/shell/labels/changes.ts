// What a form changes.

/**
 * The fields of a draft that differ from the saved values; of a draft that was saved, those that were
 * changed meanwhile: `changedFields(sent, now)`.
 */
export const changedFields = <Draft extends object>(was: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key as keyof Draft]),
    ),
  ) as Partial<Draft>
