// The mail that was sent.
import { Page } from '../../components/page.tsx'

export function MailPage() {
  return <Page title="Sent mail">{null}</Page>
}
