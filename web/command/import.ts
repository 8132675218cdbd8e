// `import`: files and folders of this computer, or a list of addresses.
import type { Command, Context } from './context.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { FileImport, type ImportParts } from './import-files.ts'
import { importLines, importList } from './import-list.ts'
import { IMPORT_OPTIONS, importOptionsOf } from './import-options.ts'
import { KeptUploads } from './kept-uploads.ts'
import { localFiles } from './local-files.ts'
import { Outcomes } from './outcomes.ts'
import { uploadsFolderOf } from './places.ts'
import { readSkus } from './sku-index.ts'
import { watchFolders } from './watch.ts'

const LIST = /\.(csv|tsv|xlsx|ods)$/i
const LINES = /\.(ndjson|jsonl)$/i

export const importCommand: Command = {
  about: 'import files, folders, or a list of addresses',
  help: `stevedore import FOLDER | FILES … | LIST.csv [options]

Compares files with those of the shop and sends only what is new. After an
interruption the same command continues. A single .csv, .tsv, .xlsx or .ods is
a list with a column of addresses, and a single .ndjson or .jsonl has an entry
of the API in each line; to import it as a file, name its folder.

  --dry-run           says what would be sent, and changes nothing
  --sku-from-name     maps EB-001_guide.pdf to the product with the SKU EB-001
  --pack-from-folder  the folder that holds a file is the name of its pack
  --pack NAME         the pack of all files
  --tag TAG           a tag of all files; more than once for several
  --on-conflict WHAT  if the name is taken: error (usual), skip, rename,
                      overwrite, new_version
  --send-same         also files whose bytes another file of the shop has
  --only-valid        of a list: leaves out rows with errors
  --notify            sends the import email to the shop's recipients
  --watch             continues with files that appear, until Ctrl-C
  --settle SECONDS    a watched file must be unchanged for this long (10)
  --json              one JSON object a line`,
  options: IMPORT_OPTIONS,
  run: async (context) => {
    const { given, values } = context
    const options = importOptionsOf(values)
    const [first] = given
    if (first === undefined) throw new UsageError('Name a folder, files or a list')
    if (given.length === 1 && LIST.test(first)) {
      if (options.watch) throw new UsageError('--watch is for folders')
      return importList(context, first, options)
    }
    if (given.length === 1 && LINES.test(first)) return importLines(context, first, options)
    return importFiles(context, options)
  },
}

async function importFiles(
  context: Context,
  options: ReturnType<typeof importOptionsOf>,
): Promise<ExitCode> {
  const { given, client, system, terminal, signal } = context
  const outcomes = new Outcomes(terminal)
  // Before the first request: a missing folder is reported first.
  const files = await localFiles(given)
  const parts: ImportParts = {
    ...context,
    options,
    outcomes,
    kept: new KeptUploads(uploadsFolderOf(system, client.url, client.shop)),
    skus: options.skuFromName ? await readSkus(client) : null,
  }
  if (!options.watch) {
    await new FileImport(parts).run(files)
    outcomes.summary({ dry_run: options.dryRun })
    return outcomes.exitCode
  }
  terminal.note(`Watching ${given.join(', ')}. Ctrl-C ends it.`)
  try {
    await watchFolders(given, options.settleMs, signal, (some) => new FileImport(parts).run(some))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  terminal.clear()
  outcomes.summary()
  return outcomes.exitCode === EXIT.all ? EXIT.all : EXIT.some
}
