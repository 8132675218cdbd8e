// One workflow.
import { Page } from '../../components/page.tsx'

export function WorkflowPage(_: { id: string }) {
  return <Page title="Workflow">{null}</Page>
}
