// The tools that plan a change, and the one that confirms it. A plan is a preview of the engine: it has
// changed nothing, and expires like every preview.
import { z } from 'zod'
import { defineTool, type Tool } from './tool.ts'

const NOT_YET =
  'Changes nothing: answers with what would change and a plan_id. Show it to a person, then call confirm_plan, or let them confirm it on the page of the answer.'

const filter = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('The same filter as in find_files; an empty one selects all files')
const fileIds = z.array(z.string()).min(1).max(1000).optional().describe('Instead of a filter')

const selectOf = (given: { file_ids?: string[] | undefined; filter?: object | undefined }) => ({
  ...(given.file_ids === undefined ? {} : { file_ids: given.file_ids }),
  ...(given.filter === undefined ? {} : { filter: given.filter }),
})

const planAction = defineTool({
  kind: 'plan',
  name: 'plan_action',
  title: 'Plan an action or a workflow',
  description: `Previews an action of list_actions, or a workflow of the shop, for the files of a selection. ${NOT_YET}`,
  input: z.strictObject({
    action: z.string().max(100).optional().describe('An id of list_actions, such as tag-files'),
    workflow: z.string().max(100).optional().describe('Instead of an action: workflow_…'),
    options: z.record(z.string(), z.unknown()).optional().describe('The options of the action'),
    file_ids: fileIds,
    filter,
  }),
  plan: ({ action, workflow, options, ...selection }) => ({
    path: '/api/operations',
    body: {
      ...(action === undefined ? {} : { action }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(options === undefined ? {} : { options }),
      ...(Object.keys(selectOf(selection)).length === 0 ? {} : { select: selectOf(selection) }),
    },
  }),
})

const planImport = defineTool({
  kind: 'plan',
  reachesOut: true,
  name: 'plan_import',
  title: 'Plan an import from addresses',
  description: `Previews an import of files from http or https addresses. ${NOT_YET}`,
  input: z.strictObject({
    files: z
      .array(
        z.strictObject({
          filename: z.string(),
          url: z.string(),
          product_sku: z.string().optional().describe('Maps the file to the product of this SKU'),
          tags: z.array(z.string()).optional(),
          expiry_days: z.int().nullable().optional(),
          download_limit: z.int().nullable().optional(),
        }),
      )
      .min(1)
      .max(100),
    on_conflict: z
      .enum(['error', 'rename', 'skip', 'overwrite', 'new_version'])
      .optional()
      .describe('If a name is taken; absent: error'),
    auto_map: z.boolean().optional().describe('Guess products from names'),
  }),
  plan: (body) => ({ path: '/api/files/import', body }),
})

const planLinks = defineTool({
  kind: 'plan',
  name: 'plan_links',
  title: 'Plan download links',
  description: `Previews a download link for each file. confirm_plan answers with their addresses. ${NOT_YET}`,
  input: z.strictObject({
    file_ids: z.array(z.string()).min(1).max(100),
    email: z.string().optional().describe('The address of the customer, kept with the links'),
    send_emails: z.boolean().optional().describe('Sends the links to this address'),
    expiry_days: z.int().nullable().optional().describe('null: they never expire'),
    download_limit: z.int().nullable().optional().describe('null: unlimited'),
  }),
  plan: ({ file_ids, ...options }) => ({
    path: '/api/operations',
    body: { action: 'create-links', options, select: { file_ids } },
  }),
})

const planUndo = defineTool({
  kind: 'plan',
  name: 'plan_undo',
  title: 'Plan the undo of an operation',
  description: `Previews which files an undo would restore, and which were changed since. ${NOT_YET}`,
  input: z.strictObject({ operation_id: z.string().describe('op_… or import_…') }),
  plan: ({ operation_id: id }) => ({
    path: '/api/operations/{id}/undo',
    params: { id },
    body: {},
  }),
})

const confirmPlan = defineTool({
  kind: 'confirm',
  name: 'confirm_plan',
  title: 'Confirm a plan: makes its changes',
  description:
    'Makes the changes of a plan of this key, once. Files that were changed since the preview are left out. Ask a person before you call it.',
  input: z.strictObject({ plan_id: z.string().max(200).describe('As the plan’s answer names it') }),
})

export const planTools: readonly Tool[] = [planAction, planImport, planLinks, planUndo, confirmPlan]
