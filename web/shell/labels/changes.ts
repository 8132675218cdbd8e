// What a form changes.

/** The fields of a draft that differ from the saved values. */
export const changedFields = <Draft extends object>(was: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key as keyof Draft]),
    ),
  ) as Partial<Draft>
