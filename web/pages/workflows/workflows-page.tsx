// The workflows of the shop.
import { Page } from '../../components/page.tsx'

export function WorkflowsPage() {
  return <Page title="Workflows">{null}</Page>
}
