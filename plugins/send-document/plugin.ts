// Sends the document of an operation: by email, or into a folder of a cloud connection.
import { z } from 'zod'
import {
  type BaseContext,
  dayAt,
  definePlugin,
  emailAddress,
  type OperationReadContext,
  type OperationView,
  PortError,
  say,
  sayFixed,
  sayPlain,
  type Text,
  UNSAFE_CHARACTERS,
} from '../contract/index.ts'

const MAX_PEOPLE = 10
/** The mails of such steps that a shop sends within 24 hours. */
const MOST_A_DAY = 200
/** Larger mails are refused by some servers: base64 adds a third. */
const MAX_ATTACHED = 5 * 1024 * 1024
const MAX_NAME = 120
const MAX_FOLDER = 200
const VARIABLES: readonly string[] = ['name', 'date', 'month', 'year']
const FORBIDDEN = /[/\\:*?"<>|]/

const isPart = (part: string): boolean =>
  part.trim() === part && part !== '' && !part.startsWith('.') && !part.endsWith('.')

const options = z
  .strictObject({
    people: z
      .array(emailAddress(sayPlain('Enter an email address')))
      .min(1, sayPlain('Enter an email address'))
      .max(MAX_PEOPLE, sayFixed('At most {count} people', { count: MAX_PEOPLE }))
      .refine(
        (to) => new Set(to.map((one) => one.toLowerCase())).size === to.length,
        sayPlain('Each of them once'),
      )
      .optional()
      .meta({
        title: 'Email addresses',
        help: 'A document of up to 5 MB is attached. Of a larger one they get a link that works for four days.',
        missing: 'Enter an email address',
        start: [],
      }),
    connection: z
      .string()
      .regex(/^connection_[0-9a-f]{32}$/, sayPlain('This is not the id of a connection'))
      .optional()
      .meta({ title: 'Cloud connection', widget: 'connection', missing: 'Choose a connection' }),
    folder: z
      .string()
      .trim()
      .max(MAX_FOLDER, sayFixed('Enter at most {count} characters', { count: MAX_FOLDER }))
      .refine(
        (folder) => folder === '' || folder.split('/').every(isPart),
        sayPlain('Enter the names of folders with / between them'),
      )
      .refine(
        (folder) => !FORBIDDEN.test(folder.replaceAll('/', '')) && !UNSAFE_CHARACTERS.test(folder),
        sayPlain('A folder cannot contain these characters: \\ : * ? " < > |'),
      )
      .default('exports')
      .meta({
        title: 'Folder',
        help: 'In the folder of the connection. Its syncs leave these documents out.',
      }),
    name: z
      .string()
      .trim()
      .min(1, sayPlain('Enter a name'))
      .max(MAX_NAME, sayFixed('Enter at most {count} characters', { count: MAX_NAME }))
      .refine(
        (name) => isPart(name) && !FORBIDDEN.test(name) && !UNSAFE_CHARACTERS.test(name),
        sayPlain('A name cannot contain these characters: / \\ : * ? " < > |'),
      )
      .refine(
        (name) => namesIn(name).every((one) => VARIABLES.includes(one)),
        sayPlain(
          'There is no such variable: a name has name, date, month and year in curly brackets',
        ),
      )
      .default('{name}')
      .meta({
        title: 'Name',
        help: 'Without an extension. {name} is the name of the document, which has the day of the run; {date}, {month} and {year} are those of the run. A document of the same name is replaced.',
        missing: 'Enter a name',
      }),
  })
  .refine(({ people, connection }) => (people === undefined) !== (connection === undefined), {
    message: sayPlain('Enter email addresses, or choose a connection'),
    path: ['people'],
  })
type Options = z.output<typeof options>

export const sendDocument = definePlugin({
  id: 'send-document',
  kind: 'notify',
  title: 'Send the document',
  form: {
    alternatives: [
      {
        title: 'Where it is sent',
        choices: [
          { label: 'By email', fields: ['people'] },
          { label: 'To a cloud connection', fields: ['connection', 'folder'] },
        ],
      },
    ],
  },
  options,
  undo: 'none',
  needs: ['notify', 'documents'],
  scope: 'operation',
  summary: ({ people, folder }) =>
    people
      ? say('Sends the document to {who}', { who: people.join(', ') })
      : folder === ''
        ? say('Writes the document to a cloud connection')
        : say('Writes the document to the folder {folder} of a cloud connection', { folder }),
  async *plan(operation, given, { signal, shop, documents }) {
    signal.throwIfAborted()
    const { people, folder } = given
    if (people) yield say('The document as an email to {who}', { who: people.join(', ') })
    else {
      const connection = await connectionOf(given, documents)
      yield folder === ''
        ? say('The document to the connection {connection}', { connection })
        : say('The document to the folder {folder} of the connection {connection}', {
            folder,
            connection,
          })
    }
    const name = nameOf(given, operation, shop, null)
    if (name !== null) yield say('Its name: {name}', { name })
  },
  async run(operation, given, { signal, shop, notify, documents }) {
    signal.throwIfAborted()
    const document = await documents.written()
    if (document === null) return { warnings: [{ code: 'no_document', message: NO_DOCUMENT }] }
    const [, bare = '', extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(document.filename) ?? []
    const filename = `${nameOf(given, operation, shop, bare) ?? bare}${extension}`
    const { people, connection, folder } = given
    if (people)
      notify.email({
        template: 'document',
        data: {
          id: operation.id,
          filename,
          attached: document.size_bytes <= MAX_ATTACHED,
          title: operation.title,
          shop: { name: shop.name },
        },
        to: people,
        most: MOST_A_DAY,
      })
    else if (connection !== undefined) {
      await connectionOf(given, documents)
      documents.send({ connection, path: folder === '' ? filename : `${folder}/${filename}` })
    }
    return {}
  },
})

const NO_DOCUMENT: Text = say('Nothing was sent: no step of this run has written a document')

/** The name of the connection. Throws if there is none. */
async function connectionOf(
  { connection = '' }: Options,
  documents: OperationReadContext<'documents'>['documents'],
): Promise<string> {
  const name = await documents.connection(connection)
  if (name === null)
    throw new PortError(
      'connection_not_found',
      say('The cloud connection was deleted: choose another one in the workflow'),
      false,
    )
  return name
}

const VARIABLE = /\{([^{}]*)\}/g
const namesIn = (text: string) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name)

/** The name without its extension. Null: it contains that of the document, which is not known. */
function nameOf(
  { name }: Options,
  { started_at }: OperationView,
  { settings }: BaseContext['shop'],
  document: string | null,
): string | null {
  if (document === null && namesIn(name).includes('name')) return null
  const date = dayAt(started_at, settings.time_zone)
  const values = new Map([
    ['name', document ?? ''],
    ['date', date],
    ['month', date.slice(0, 7)],
    ['year', date.slice(0, 4)],
  ])
  return name.replaceAll(VARIABLE, (all, one: string) => values.get(one) ?? all)
}
