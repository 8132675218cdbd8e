// The ways from the settings to the pages that belong to them.
import { findByBody, usePlugins } from '../../shell/client/plugins.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, InlineStack, Link, Text } from '../../shell/ui/index.ts'

export function BuyerPageLink() {
  return (
    <Card>
      <Entry title={t('Buyer’s page')} url="/settings/buyer-page">
        {t('Your logo, colours and texts on the pages that customers open, with a preview.')}
      </Entry>
    </Card>
  )
}

export function AutomationLinks() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entry title={t('Scheduled tasks')} url="/schedules">
          {t('Delete old files, add tags by rules or run a workflow at fixed times.')}
        </Entry>
        <Entry title={t('Deliveries')} url="/settings/deliveries">
          {t('When orders are delivered, who sends the link, and what happens to risky orders.')}
        </Entry>
        <Entry title={t('Licence keys')} url="/settings/licences">
          {t('Lists of keys that orders get, and how many are left.')}
        </Entry>
        <Entry title={t('Connections')} url="/settings/connections">
          {t('Folders and buckets in the cloud whose files are kept in sync.')}
        </Entry>
        <Entry title={t('Workflows')} url="/workflows">
          {t('Custom steps for imports or for existing files.')}
        </Entry>
      </BlockStack>
    </Card>
  )
}

const HISTORY = [
  [t('Imports'), '/operations?kind=import'],
  [t('Bulk operations'), '/operations?kind=bulk'],
  [t('Partial'), '/operations?status=partial'],
  [t('Failed'), '/operations?status=failed'],
] as const

export function AdvancedLinks() {
  const deletion = findByBody(usePlugins().data?.data ?? [], 'delete')
  const links: (readonly [text: string, url: string])[] = deletion
    ? [...HISTORY, [t('Deletions'), `/operations?action=${deletion.plugin.id}`]]
    : [...HISTORY]
  return (
    <Card>
      <BlockStack gap="200">
        <Entry title={t('Operation history')} url="/operations">
          {t(
            'Every operation with its date, files, status, duration and who started it, the result for each file, and a log to export.',
          )}
        </Entry>
        <InlineStack gap="300">
          {links.map(([text, url]) => (
            <Link key={url} url={url}>
              {text}
            </Link>
          ))}
        </InlineStack>
        <Entry title={t('Webhooks')} url="/settings/webhooks">
          {t('Signed messages that tell your programs what happens here.')}
        </Entry>
        <Entry title={t('FTP upload')} url="/settings/drop">
          {t('Send files by SFTP or FTP: accounts, automatic import, connections.')}
        </Entry>
        <Entry title={t('Plan')} url="/settings/plan">
          {t('What your shop may use, and what it has used.')}
        </Entry>
        <Entry title={t('Customers’ data')} url="/settings/customer-data">
          {t('Requests of customers for their data, with the document to send them.')}
        </Entry>
        <Entry title={t('API keys')} url="/settings/api-keys">
          {t('Keys for storefront tools and scripts, with their permissions and last use.')}
        </Entry>
      </BlockStack>
    </Card>
  )
}

function Entry({ title, url, children }: { title: string; url: string; children: string }) {
  return (
    <BlockStack gap="050">
      <Text as="h3" variant="headingSm">
        <Link url={url}>{title}</Link>
      </Text>
      <Text as="p" tone="subdued">
        {children}
      </Text>
    </BlockStack>
  )
}
