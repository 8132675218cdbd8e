// Makes one PDF document of several, in the order in which they were selected. It is a new file; they stay as they are.
import { z } from 'zod'
import {
  definePlugin,
  documentPassword,
  PortError,
  stemOf,
  UNSAFE_CHARACTERS,
  whyNoDocument,
  type Item,
  type OperationView,
} from '../contract.ts'

const FEWEST = 2
// What is put together is in one place at once.
const MOST = 500

const options = z.strictObject({
  filename: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((name) => name.isWellFormed() && !UNSAFE_CHARACTERS.test(name) && !/[\\/]/.test(name), {
      message: 'This name cannot be a filename',
    })
    .default('Merged.pdf')
    .meta({ title: 'Name of the new file' }),
  password: documentPassword,
})

/** `created`: the one document. Throws `PortError` that names a document which can't be merged. */
export const mergePdf = definePlugin({
  id: 'merge-pdf',
  kind: 'act',
  title: 'Merge PDF documents',
  options,
  undo: 'fields',
  scope: 'operation',
  ledger: false,
  summary: ({ filename }) => `Makes one document, ${nameOf(filename)}`.slice(0, 200),
  async *plan({ total }, { filename }) {
    yield await Promise.resolve(`Makes one document of ${total}, in their order: ${nameOf(filename)}`)
  },
  run: async (operation, { filename, password }, { documents, signal }) => {
    signal.throwIfAborted()
    const items = await itemsOf(operation)
    const { bytes, warnings } = await documents.merge(items, password === undefined ? {} : { password }, signal)
    return { warnings, created: [{ filename: nameOf(filename), bytes }] }
  },
})

const nameOf = (filename: string) => `${stemOf(filename)}.pdf`

async function itemsOf(operation: OperationView): Promise<Item[]> {
  if (operation.total < FEWEST) throw new PortError('too_few', 'Select two documents or more', false)
  if (operation.total > MOST)
    throw new PortError('too_many', `At most ${MOST} documents are made one: these are ${operation.total}`, false)
  const items: Item[] = (await Array.fromAsync(operation.items())).flat()
  for (const { file } of items) {
    const why = whyNoDocument(file)
    if (why) throw new PortError('not_a_pdf', `${file.filename}: ${why}`, false)
  }
  return items
}
