// The empty state of a shop without files: a place to drop the first ones, and the other ways.
import { DropArea } from '../../shell/components/drop-area.tsx'
import { BlockStack, Button, Card, Heading, Hint, InlineStack } from '../../shell/ui/index.ts'
import { uploadFiles } from '../upload/dropped.ts'
import { t } from '../../shell/messages/t.ts'

export function FirstFile() {
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Heading>{t('Import your first files')}</Heading>
          <Hint>
            {t(
              'Each file is mapped to its product, and buyers download it through links with an expiry and a download limit.',
            )}
          </Hint>
        </BlockStack>
        <DropArea
          many
          title={t('Drop files or a folder here')}
          choose={t('Choose files')}
          onFiles={uploadFiles}
        />
        <InlineStack gap="300">
          <Button variant="plain" url="/import/csv">
            {t('Import a CSV file')}
          </Button>
          <Button variant="plain" url="/import">
            {t('All ways to import')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Card>
  )
}
