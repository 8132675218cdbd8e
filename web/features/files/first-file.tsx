// The empty state of a shop without files: how to add the first ones.
import { Code } from '../../shell/components/copy.tsx'
import { Nothing } from '../../shell/components/lists.tsx'
import { BlockStack, Box, Card, Hint, Text } from '../../shell/ui/index.ts'
import { importCommand } from '../api/import-command.ts'
import { t } from '../../shell/messages/t.ts'

export function FirstFile() {
  return (
    <Card>
      <BlockStack gap="400">
        <Nothing
          why="new"
          heading={t('Import your first files')}
          action={{ content: t('Upload files'), url: '/import/upload' }}
        >
          {t(
            'Upload them from this computer, or send their URLs and product SKUs to Stevedore. Each file is mapped to its product, and buyers download it through links with an expiry and a download limit.',
          )}
        </Nothing>
        <Box paddingInline={{ xs: '0', md: '800' }} paddingBlockEnd="400">
          <BlockStack gap="200">
            <Text as="h3" variant="headingSm">
              {t('Import with one command')}
            </Text>
            <Hint>
              {t(
                'Insert your API key and file URLs, then run this in a terminal. The files appear here as they arrive.',
              )}
            </Hint>
            <Code what={t('import command')} text={importCommand(window.location.origin)} />
          </BlockStack>
        </Box>
      </BlockStack>
    </Card>
  )
}
