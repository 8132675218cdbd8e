// Chosen or dropped files, folders with all files in them, each with its path inside the folder.

/** What the browser's dialog offers where a table is chosen. */
export const TABLE_FILES = [
  '.csv',
  '.txt',
  '.tsv',
  '.xlsx',
  '.ods',
  'text/csv',
  'text/tab-separated-values',
  'text/plain',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
].join(',')

export interface ChosenFile {
  data: File
  /** `photos/summer/a.jpg`; only the name if no folder was chosen. */
  path: string
}

/** Files that operating systems create in folders. */
const LEFT_BY_SYSTEMS = /^(\.|~\$|thumbs\.db$|desktop\.ini$|__macosx$)/i

/** The files of a file input, without hidden files of folders. */
export const chosenFiles = (list: Iterable<File>): ChosenFile[] =>
  [...list]
    .map((data) => ({ data, path: data.webkitRelativePath || data.name }))
    .filter(({ path }) => isIncluded(path))

/**
 * From a drop. Reads folders recursively; call it during the drop event, which invalidates its
 * files afterwards.
 */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry())
  const loose = [...transfer.files]
  if (entries.every((entry) => entry === null)) return chosenFiles(loose)
  const found = await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])))
  return found.flat().filter(({ path }) => isIncluded(path))
}

async function filesIn(entry: FileSystemEntry): Promise<ChosenFile[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (entry.isFile) {
    const data = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [{ data, path }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: ChosenFile[] = []
  // The reader returns a hundred entries at a time, and none at the end.
  while (true) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return found
    for (const one of some) found.push(...(await filesIn(one)))
  }
}

/** A single file that was chosen by name is always included. */
const isIncluded = (path: string): boolean => {
  const parts = path.split('/')
  return parts.length === 1 || !parts.slice(1).some((part) => LEFT_BY_SYSTEMS.test(part))
}
