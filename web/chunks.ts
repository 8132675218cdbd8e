// Which modules of the page share a file. Each request costs more than a few unused lines: what the
// first page needs is few files, and what opens later is not part of them. docs/decisions/0071.
/// <reference types="node" />
import path from 'node:path'

/** What rolldown tells about the module graph. */
interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

const FRAME = ['main.tsx', 'show-app.tsx'].map((file) => path.join(import.meta.dirname, file))
const LIST = path.join(import.meta.dirname, 'features/files/files-page.tsx')
/** The components of the list that no other chunk has. */
const LIST_PARTS =
  /[\\/]polaris[\\/]build[\\/]esm[\\/](components[\\/]Filters[\\/]|utilities[\\/]use-on-value-change)|[\\/](LayoutColumns3|Plus|XSmall|Sort|ImportCommand)Icon\.svg/
const DIALOG =
  /[\\/]components[\\/]((Modal|ChoiceList|RadioButton)[\\/]|(dialog|question|delete-dialog)\.tsx$)/
/** Most pages have these, and the list of files does not. */
const LATE =
  /[\\/](server-templates|server-texts|import-texts)\.ts$|features[\\/]operations[\\/]((calls|labels|operation-events)\.ts|status\.tsx)$/

let list: ReadonlySet<string> | undefined

/** The page's own modules that the list of files imports, without those of the frame. */
function listModules(graph: Graph): ReadonlySet<string> {
  const frame = importedBy(FRAME, graph)
  return new Set([...importedBy([LIST], graph)].filter((id) => !frame.has(id)))
}

/** The page's own modules that these import, directly or not. */
function importedBy(ids: readonly string[], graph: Graph): Set<string> {
  const seen = new Set<string>()
  const pending = [...ids]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id) || !id.startsWith(import.meta.dirname)) continue
    seen.add(id)
    pending.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  return seen
}

const nameOf = (id: string, graph: Graph): string | null => {
  list ??= listModules(graph)
  return list.has(id) || LIST_PARTS.test(id) ? 'list' : null
}

const isLate = (id: string): boolean => DIALOG.test(id) || LATE.test(id)
const isEarly = (id: string): boolean => !isLate(id)
/**
 * What most pages need is one file, what many need another, and the rest of the list of files a
 * third. No file imports a later one: the frame has all that its modules import, and what a module
 * of another imports is needed by as many pages.
 */
export const CHUNKS = [
  { name: 'dialogs', minShareCount: 12, priority: 4, test: isLate },
  { name: 'frame', minShareCount: 30, priority: 3, test: isEarly },
  { name: nameOf, priority: 1, test: isEarly },
  { name: 'often', minShareCount: 12, priority: 2, test: isEarly },
].map((group) => ({ ...group, includeDependenciesRecursively: group.name === 'frame' }))
