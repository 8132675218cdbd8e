// What an installation configures of channels and workflows, and whether it can be used.
import { english, type Plugin, type Workflow } from '../../../plugins/contract/index.ts'
import { channelProblems, type Channel } from './channel.ts'
import { workflowProblems } from './problems.ts'

export interface ConfiguredWorkflows {
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  /** How operations can be started, with their titles. */
  channels: readonly Channel[]
}

const uncapitalized = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** All problems; empty if they can be used. */
export const configuredProblems = ({
  plugins,
  workflows,
  channels,
}: ConfiguredWorkflows): string[] => [
  ...channelProblems(channels, workflows),
  ...workflows.flatMap((workflow) =>
    workflowProblems(workflow, plugins, workflow.action).map(
      ({ param, message }) =>
        `workflow ${workflow.id}: ${param}: ${uncapitalized(english(message))}`,
    ),
  ),
]
