// The page's API types are generated from the OpenAPI document. After a schema has changed, write
// them again with `npm run api-types`; then `tsc -p web` finds the code that no longer matches.
import openapiTS, {
  astToString,
  type MediaTypeObject,
  type OpenAPI3,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type ReferenceObject,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi-typescript'
import { format, type FormatConfig } from 'oxfmt'
import { expect, test } from 'vitest'
import { FILE_SETTINGS, type Setting } from '../../plugins/contract/settings.ts'
import { openTestApp } from '../../test/app.ts'
import style from '../../.oxfmtrc.json' with { type: 'json' }

const FILE = new URL('../../web/shell/client/api.gen.ts', import.meta.url).pathname
const SETTINGS = new URL('../../web/shell/client/settings.gen.ts', import.meta.url).pathname
const HEADER = '// Generated from /api/openapi.json by `npm run api-types`. Do not edit.\n'

test('web/shell/client/api.gen.ts matches the OpenAPI document', async () => {
  const app = await openTestApp()
  try {
    const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenAPI3
    // One short type for each endpoint instead of the paths, which would be ten times the text.
    const schemas = { ...document.components?.schemas, Endpoints: endpointsOf(document) }
    const types = astToString(
      await openapiTS(
        { ...document, paths: {}, webhooks: {}, components: { schemas } },
        // A field with a default may be left out of a request.
        { alphabetize: true, defaultNonNullable: false },
      ),
    )
    const { code } = await format(FILE, HEADER + types, style as FormatConfig)
    await expect(code).toMatchFileSnapshot(FILE)
  } finally {
    await app.close()
  }
})

test('web/shell/client/settings.gen.ts names the settings of a file', async () => {
  const settings = Object.entries<Setting>(FILE_SETTINGS)
  const listOf = (pick: (setting: Setting) => string | undefined) =>
    settings.flatMap(([name, setting]) => {
      const text = pick(setting)
      return text === undefined ? [] : [`${name}: t(${JSON.stringify(text)}),`]
    })
  const source = `// Generated from plugins/contract/settings.ts by \`npm run api-types\`. Do not edit.
    import { t } from '../messages/t.ts'
    /** The names of the settings of a file, in the order in which they are declared. */
    export const SETTING_LABELS = { ${listOf(({ label }) => label).join(' ')} }
    /** The labels of the shop's defaults that are on or off. */
    export const SHOP_SWITCHES = { ${listOf(({ shopSwitch }) => shopSwitch).join(' ')} }\n`
  const { code } = await format(SETTINGS, source, style as FormatConfig)
  await expect(code).toMatchFileSnapshot(SETTINGS)
})

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** By `GET /api/files`: its query, its body and the JSON that it answers. */
function endpointsOf({ paths = {} }: OpenAPI3): SchemaObject {
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as PathItemObject)[method] as OperationObject | undefined
      return operation ? [[`${method.toUpperCase()} ${path}`, endpointOf(operation)] as const] : []
    }),
  )
  return objectOf(Object.fromEntries(endpoints))
}

function endpointOf({ parameters = [], requestBody, responses = {} }: OperationObject) {
  const query = (parameters as ParameterObject[]).filter((parameter) => parameter.in === 'query')
  const body = jsonOf(requestBody as RequestBodyObject | undefined)
  const answers = Object.entries(responses).flatMap(([status, response]) => {
    const schema = jsonOf(response as ResponseObject)
    return Number(status) < 300 && schema ? [schema] : []
  })
  const [answer] = answers
  return objectOf({
    ...(query.length > 0 && {
      query: {
        type: 'object',
        properties: Object.fromEntries(
          query.map(({ name, schema }) => [
            name,
            { ...schema, description: undefined } as SchemaObject,
          ]),
        ),
      },
    }),
    ...(body && { body }),
    ...(answer && {
      answer: answers.length > 1 ? ({ anyOf: unique(answers) } as SchemaObject) : answer,
    }),
  })
}

const jsonOf = (message: RequestBodyObject | ResponseObject | undefined) =>
  (message?.content?.['application/json'] as MediaTypeObject | undefined)?.schema

const objectOf = (properties: Record<string, SchemaObject | ReferenceObject>): SchemaObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const unique = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]
