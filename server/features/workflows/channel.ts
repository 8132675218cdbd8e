// A channel as the rest of the server sees it: plain data, listed in app.config.ts. Its code is in
// its folder in server/features/.
import type { Workflow } from '../../../plugins/contract/index.ts'

export interface Channel {
  /** The id that operations and workflows store: `csv`. */
  id: string
  /** How an operation was started: `CSV`. */
  title: string
  /** Texts of a channel that imports files; null: its operations are about existing files. */
  imports: {
    /** One import: `CSV import`. */
    title: string
    /** The imports that an attached workflow applies to: `CSV imports`. */
    plural: string
  } | null
}

/** A channel that imports files. */
export interface ImportChannel extends Channel {
  imports: NonNullable<Channel['imports']>
}

/** The id of a channel's built-in workflow, which runs unless the shop attached its own. */
const workflowIdOf = (channel: string): string => `import-${channel}`

/**
 * Finds the built-in workflow of a channel; null: this installation has no such channel, or it
 * imports no files.
 */
export const builtInWorkflow = (channel: string, workflows: readonly Workflow[]): Workflow | null =>
  workflows.find(({ id, kind }) => kind === 'import' && id === workflowIdOf(channel)) ?? null

/** The channel whose built-in workflow this is, or null. */
export const channelOfBuiltIn = ({ id, kind }: Pick<Workflow, 'id' | 'kind'>): string | null =>
  kind === 'import' && id.startsWith(workflowIdOf('')) ? id.slice(workflowIdOf('').length) : null

/** The problems of the configured channels; empty if they can be used. */
export function channelProblems(
  channels: readonly Channel[],
  workflows: readonly Workflow[],
): string[] {
  return channels.flatMap(({ id, imports }) =>
    imports && !builtInWorkflow(id, workflows)
      ? [`channel ${id}: add its workflow ${workflowIdOf(id)}, with kind import`]
      : [],
  )
}
