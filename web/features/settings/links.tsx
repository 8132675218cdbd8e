// The ways from the settings to the pages that belong to them.
import { findByBody, usePlugins } from '../../shell/client/plugins.ts'
import { type SettingsEntry, useFeatures } from '../../shell/feature.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, Hint, InlineStack, Link, Text } from '../../shell/ui/index.ts'

export function BuyerPageLink() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entry title={t('Buyer’s page')} url="/settings/buyer-page">
          {t('Your logo, colours and texts on the pages that customers open, with a preview.')}
        </Entry>
        <Entry title={t('Mail to buyers')} url="/settings/mail-to-buyers">
          {t('The sender and the texts of mails with downloads, and addresses that do not exist.')}
        </Entry>
      </BlockStack>
    </Card>
  )
}

export function AutomationLinks() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entries section="automation" />
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
        <Entries section="advanced" />
      </BlockStack>
    </Card>
  )
}

/** The ways to the features' own pages. */
const Entries = ({ section }: Pick<SettingsEntry, 'section'>) =>
  useFeatures()
    .flatMap(({ settings = [] }) => settings)
    .filter((entry) => entry.section === section)
    .map(({ title, url, about }) => (
      <Entry key={url} title={title} url={url}>
        {about}
      </Entry>
    ))

function Entry({ title, url, children }: { title: string; url: string; children: string }) {
  return (
    <BlockStack gap="050">
      <Text as="h3" variant="headingSm">
        <Link url={url}>{title}</Link>
      </Text>
      <Hint>{children}</Hint>
    </BlockStack>
  )
}
