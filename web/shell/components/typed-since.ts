// A draft of changed fields after it was saved.

/** What was typed while `sent` was being saved stays in the draft. */
export const typedSince = <Draft extends object>(now: Draft, sent: Draft): Partial<Draft> => {
  const before = new Map<string, unknown>(Object.entries(sent))
  const typed = Object.entries(now).filter(([name, value]) => before.get(name) !== value)
  return Object.fromEntries(typed) as Partial<Draft>
}
