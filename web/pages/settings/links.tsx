// The ways from the settings to the pages that belong to them.
import { findByBody, usePlugins } from '../../client/plugins.ts'
import { t } from '../../messages/t.ts'
import { BlockStack, Card, InlineStack, Link, Text } from '../../ui/index.ts'

export function AutomationLinks() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entry title="Scheduled tasks" url="/schedules">
          Delete old files, add tags by rules or run a workflow at fixed times.
        </Entry>
        <Entry title="Workflows" url="/workflows">
          Steps of your own, for every import of a kind or for files that are already here.
        </Entry>
      </BlockStack>
    </Card>
  )
}

const HISTORY = [
  ['Imports', '/operations?kind=import'],
  ['Bulk operations', '/operations?kind=bulk'],
  ['Partial', '/operations?status=partial'],
  ['Failed', '/operations?status=failed'],
] as const

export function AdvancedLinks() {
  const deletion = findByBody(usePlugins().data?.data ?? [], 'delete')
  const links: (readonly [text: string, url: string])[] = deletion
    ? [...HISTORY, ['Deletions', `/operations?action=${deletion.plugin.id}`]]
    : [...HISTORY]
  return (
    <Card>
      <BlockStack gap="200">
        <Entry title="Operation history" url="/operations">
          Each operation with its date, action, files, status, duration and who started it; the
          result for each file, and the log to export.
        </Entry>
        <InlineStack gap="300">
          {links.map(([text, url]) => (
            <Link key={url} url={url}>
              {text}
            </Link>
          ))}
        </InlineStack>
        <Entry title={t('FTP upload')} url="/settings/drop">
          {t('Send files by SFTP or FTP: accounts, automatic import, connections.')}
        </Entry>
        <Entry title="API keys" url="/settings/api-keys">
          For storefront tools and scripts: each with a name, what it may do, and when it was last
          used.
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
