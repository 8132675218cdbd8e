// The selection in words, if the rows do not show it: files on other pages, or all that match.
import { filterOf, type FilesUrlState } from './url-state.ts'
import { Box, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { selectionText } from '../../shell/files/selection-labels.ts'
import { type FileSelection } from './selection.ts'
import { t } from '../../shell/messages/t.ts'

export function SelectionLine({
  selection,
  urlState,
}: {
  selection: FileSelection
  urlState: FilesUrlState
}) {
  const { all, count, onPage, clear } = selection
  const text = selectionText({ all, count, onPage, filter: filterOf(urlState) })
  return (
    <div role="status">
      {text && (
        <Box paddingInline="400" paddingBlock="200" background="bg-surface-secondary">
          <InlineStack gap="300" blockAlign="center">
            <Text as="span">{text}</Text>
            <Button variant="plain" onClick={clear}>
              {t('Clear selection')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </div>
  )
}
