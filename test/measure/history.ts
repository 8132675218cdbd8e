// Which files changed together, by the history of the repository.

/** A commit that changes more files renames something or follows a rule: it says nothing of a pair. */
const MOST_FILES = 20
/** One commit in common, or two, is chance. */
const LEAST_TOGETHER = 3
/** Of the commits that changed either file. */
const LEAST_SHARE = 0.2

/** Groups of the files, each connected by pairs that changed together; the largest first. */
export function changedTogether(
  commits: readonly (readonly string[])[],
  files: ReadonlySet<string>,
): string[][] {
  const changes = new Map<string, number>()
  const together = new Map<string, number>()
  const count = (of: Map<string, number>, key: string) => of.set(key, (of.get(key) ?? 0) + 1)
  for (const commit of commits) {
    const own = commit.filter((file) => files.has(file)).toSorted()
    for (const file of own) count(changes, file)
    if (own.length > MOST_FILES) continue
    own.forEach((a, at) => own.slice(at + 1).forEach((b) => count(together, `${a}\0${b}`)))
  }
  const groups = new Map<string, Set<string>>()
  for (const [pair, times] of together) {
    const [a = '', b = ''] = pair.split('\0')
    const either = changes.get(a)! + changes.get(b)! - times
    if (times < LEAST_TOGETHER || times / either < LEAST_SHARE) continue
    const joined = new Set([a, b, ...(groups.get(a) ?? []), ...(groups.get(b) ?? [])])
    for (const file of joined) groups.set(file, joined)
  }
  return [...new Set(groups.values())]
    .map((group) => [...group].toSorted())
    .toSorted((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))
}
