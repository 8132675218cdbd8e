// The other documents: rules of products, settings of the drop folder and of mail, texts of mails,
// saved CSV mappings and templates of tags.
import { isDeepStrictEqual } from 'node:util'
import { ownValue, say } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { idsOf, namesOfIds } from '../workflows/names.ts'
import type { Reference, VisitReference } from '../workflows/references.ts'
import { isFields, refusedDocument, type FieldValues } from './document-text.ts'
import {
  documentContent,
  entryDifferences,
  picked,
  placed,
  plainKind,
  recordOf,
  requireNone,
  rowsOfList,
  type StoredRecord,
} from './kind.ts'

const one = (body: FieldValues): StoredRecord[] => [{ id: null, name: null, body }]

const DROP = [
  'enabled',
  'tls_required',
  'auto_import',
  'schedule',
  'match_by',
  'notify',
  'move_to_processed',
  'folder_names',
  'on_conflict',
]

export const dropKind = plainKind({
  kind: 'drop-settings',
  place: 'drop-settings',
  single: true,
  edits: '/api/drop',
  read: async ({ call }) => one(picked(await recordOf(call, 'GET /api/drop'), DROP)),
  save: async ({ call }, document) => {
    await placed(call('PATCH /api/drop', { body: documentContent(document) }))
  },
})

const SENDER = ['name', 'reply_to', 'way']
const SERVER = ['host', 'port', 'security', 'user', 'from', 'reports']

export const mailKind = plainKind({
  kind: 'mail-settings',
  place: 'mail-settings',
  single: true,
  edits: '/api/settings/mail',
  read: async ({ call }) => {
    const { server, ...record } = await recordOf(call, 'GET /api/settings/mail')
    const { name: sender_name, ...sender } = picked(record, SENDER)
    return one({ sender_name, ...sender, server: isFields(server) ? picked(server, SERVER) : null })
  },
  comments: ({ body }) =>
    body.server === null
      ? []
      : [
          {
            path: ['server', 'host'],
            text: 'its password is not in this file: enter it under Settings, Mail',
          },
        ],
  save: async ({ call }, document, before) => {
    const { server, ...sender } = documentContent(document)
    const { sender_name, ...others } = sender
    const asDocument = (param: string) => (param === 'name' ? 'sender_name' : param)
    if (isFields(server) && Object.hasOwn(server, 'password'))
      requireNone([{ param: PASSWORD_PLACE, message: PASSWORD }])
    if (server !== undefined && !isDeepStrictEqual(server, before?.record.body.server ?? null))
      await placed(
        server === null
          ? call('DELETE /api/settings/mail/server')
          : call('PUT /api/settings/mail/server', { body: server }),
        (param) => `server.${param}`,
      ).catch(withoutPassword)
    const body = { ...others, ...(sender_name === undefined ? {} : { name: sender_name }) }
    await placed(call('PATCH /api/settings/mail', { body }), asDocument)
  },
})

/** Says where a password is entered that the server needs. */
function withoutPassword(error: unknown): never {
  if (error instanceof AppError && error.details.some(({ param }) => param === PASSWORD_PLACE))
    requireNone([{ param: PASSWORD_PLACE, message: PASSWORD }])
  throw error
}

const PASSWORD_PLACE = 'server.password'
const PASSWORD = say(
  'Files have no passwords: enter the mail server with its password under Settings, Mail',
)

export const mailTextsKind = plainKind({
  kind: 'mail-texts',
  place: 'mail-texts',
  single: true,
  edits: '/api/settings/mail/texts',
  read: async ({ call }) => {
    const { texts } = await recordOf(call, 'GET /api/settings/mail/texts')
    const all: Record<string, Record<string, Record<string, unknown>>> = {}
    for (const { mail, locale, fields } of asRows(texts))
      for (const { field, own } of asRows(fields))
        if (own !== null) ((all[String(locale)] ??= {})[String(mail)] ??= {})[String(field)] = own
    return one({ texts: all })
  },
  save: async ({ call }, document, before) => {
    const { texts = {}, ...others } = documentContent(document)
    const cleared = withNulls(before?.record.body.texts ?? {}, texts)
    await placed(call('PATCH /api/settings/mail/texts', { body: { ...others, texts: cleared } }))
  },
})

const asRows = (value: unknown): FieldValues[] =>
  Array.isArray(value) ? value.filter(isFields) : []

/** What the shop has and the document does not becomes null: the usual text. */
function withNulls(before: unknown, after: unknown): unknown {
  if (!isFields(before)) return after === undefined ? null : after
  if (after !== undefined && !isFields(after)) return after
  const given: FieldValues = after ?? {}
  return Object.fromEntries(
    Object.keys({ ...before, ...given }).map((name) => [
      name,
      withNulls(ownValue(before, name), ownValue(given, name)),
    ]),
  )
}

export const csvMappingKind = plainKind({
  kind: 'csv-mapping',
  place: 'csv-mappings',
  single: false,
  edits: '/api/csv/mappings',
  read: async ({ call }) =>
    (await rowsOfList(call, 'GET /api/csv/mappings')).map(({ id, name, headers, mapping }) => ({
      id: String(id),
      name: String(name),
      body: {
        headers,
        mapping: Object.fromEntries(
          Object.entries(isFields(mapping) ? mapping : {}).filter(([, header]) => header !== null),
        ),
      },
    })),
  save: async ({ call }, document) => {
    await placed(call('POST /api/csv/mappings', { body: documentContent(document) }))
  },
})

export const tagTemplateKind = plainKind({
  kind: 'tag-template',
  place: 'tag-templates',
  single: false,
  edits: '/api/tag-templates/{id}',
  read: async ({ call }) =>
    (await rowsOfList(call, 'GET /api/tag-templates')).map(({ id, name, tags }) => ({
      id: String(id),
      name: String(name),
      body: { tags },
    })),
  save: async ({ call }, document, before) => {
    const body = documentContent(document)
    const id = before?.record.id ?? null
    await placed(
      id === null
        ? call('POST /api/tag-templates', { body })
        : call('PATCH /api/tag-templates/{id}', { params: { id }, body }),
    )
  },
})

// Rules: the document is the whole list, in its order.

const RULE = ['pattern', 'product', 'variant', 'sku', 'new_files']

export const rulesKind = plainKind({
  kind: 'mapping-rules',
  place: 'mapping-rules',
  single: true,
  edits: '/api/mapping-rules',
  read: async ({ call }) =>
    one({
      rules: (await rowsOfList(call, 'GET /api/mapping-rules')).map((rule) => ({
        id: rule.id,
        pattern: rule.pattern,
        product: rule.product_id,
        variant: rule.variant_id,
        sku: rule.sku_template,
        new_files: rule.new_files,
      })),
    }),
  documents: async ({ scope }, records) => {
    const all = records.map(({ body }) => asRows(body.rules))
    const names = await namesOfIds(scope, referencesIn(all.flat()))
    return all.map((rules) => ({
      stevedore: 'mapping-rules/1',
      rules: rules
        .map((rule, at) => mapRule(rule, at, names))
        .map(({ id: _, ...named }) =>
          Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null)),
        ),
    }))
  },
  save: async ({ scope, call }, document, before) => {
    const { rules: given, ...others } = documentContent(document)
    const unknown = Object.keys(others).map((key) => ({
      param: key,
      message: say('There is no {key} here', { key }),
    }))
    requireNone([...unknown, ...ruleProblems(given)])
    const rules = asRows(given)
    const ids = await idsOf(scope, referencesIn(rules))
    requireNone(ids.problems)
    const wanted = rules.map((rule, at) => mapRule(rule, at, ids.visit))
    let now = asRows(before?.record.body.rules)
    for (const old of now)
      if (!wanted.some(({ pattern }) => pattern === old.pattern))
        await call('DELETE /api/mapping-rules/{id}', { params: { id: String(old.id) } })
    now = now.filter((old) => wanted.some(({ pattern }) => pattern === old.pattern))
    for (const [at, rule] of wanted.entries()) {
      const place = now.findIndex(({ pattern }) => pattern === rule.pattern)
      const old = now[place]
      const isSame =
        place === at &&
        old !== undefined &&
        RULE.every((name) => (rule[name] ?? null) === old[name])
      if (isSame) continue
      const body = ruleRequest(rule, at, old !== undefined)
      await placed(
        old
          ? call('PATCH /api/mapping-rules/{id}', { params: { id: String(old.id) }, body })
          : call('POST /api/mapping-rules', { body }),
        (param) => `rules[${at}].${rulePlace(param)}`,
      )
      now = now.filter((one) => one !== old).toSpliced(at, 0, { ...rule, id: old?.id })
    }
  },
  differences: (before, after) =>
    entryDifferences(asRows(before?.document.rules), asRows(after.document.rules), {
      list: 'rules',
      key: 'pattern',
    }),
})

const ruleRequest = (
  { pattern, product, variant, sku, new_files }: FieldValues,
  at: number,
  isKnown: boolean,
) => ({
  pattern,
  ...(product === undefined || product === null ? {} : { product_id: product }),
  ...(variant === undefined || variant === null ? {} : { variant_id: variant }),
  ...(isKnown && product && !variant ? { variant_id: null } : {}),
  ...(sku === undefined || sku === null ? {} : { sku_template: sku }),
  new_files: new_files ?? null,
  position: at + 1,
})

const rulePlace = (param: string) =>
  param
    .replace(/^product_id$/, 'product')
    .replace(/^variant_id$/, 'variant')
    .replace(/^sku_template$/, 'sku')

function ruleProblems(rules: unknown) {
  if (!Array.isArray(rules))
    throw refusedDocument([
      {
        param: 'rules',
        code: 'invalid_value',
        message: say('This is a list: begin each entry with -'),
      },
    ])
  return rules.flatMap((rule: unknown, at) => {
    const fields = isFields(rule) ? rule : { '': rule }
    return Object.keys(fields).flatMap((key) =>
      RULE.includes(key)
        ? []
        : [{ param: `rules[${at}].${key}`, message: say('There is no {key} here', { key }) }],
    )
  })
}

function mapRule(rule: FieldValues, at: number, visit: VisitReference): FieldValues {
  const mapped = (kind: 'product' | 'variant') => {
    const id = rule[kind]
    return typeof id === 'string'
      ? { [kind]: visit({ kind, id, param: `rules[${at}].${kind}` }) }
      : {}
  }
  return { ...rule, ...mapped('product'), ...mapped('variant') }
}

function referencesIn(rules: readonly FieldValues[]): Reference[] {
  const references: Reference[] = []
  rules.forEach((rule, at) =>
    mapRule(rule, at, (reference) => {
      references.push(reference)
      return reference.id
    }),
  )
  return references
}
