// The file and the product to which the list of deliveries is limited.
import { useState } from 'react'
import { useRead } from '../../shell/client/reads.ts'
import { t } from '../../shell/messages/t.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { Box, Button, InlineStack, Tag } from '../../shell/ui/index.ts'
import { FileFilter, ProductFilter } from './filter-dialog.tsx'
import { type DELIVERIES_STATE } from './url-state.ts'

type State = ReturnType<typeof DELIVERIES_STATE.read>

interface Props {
  urlState: Pick<State, 'file' | 'product' | 'about'>
  go: UrlState<State>['go']
}

export function DeliveryFilters({ urlState: { file, product, about }, go }: Props) {
  const [choosing, setChoosing] = useState<'file' | 'product' | null>(null)
  const close = () => setChoosing(null)
  const named = useRead('GET /api/files/{id}', { path: { id: file || null } }).data
  return (
    <Box padding="300" paddingBlockStart="0">
      <InlineStack gap="200" blockAlign="center">
        {file === '' ? (
          <Button size="slim" onClick={() => setChoosing('file')}>
            {t('With one file …')}
          </Button>
        ) : (
          <Tag onRemove={() => go({ file: '' })}>
            {t('File: {name}', { name: named?.filename ?? file })}
          </Tag>
        )}
        {product === '' ? (
          <Button size="slim" onClick={() => setChoosing('product')}>
            {t('With one product …')}
          </Button>
        ) : (
          <Tag onRemove={() => go({ product: '', about: '' })}>
            {t('Product: {name}', { name: about || product })}
          </Tag>
        )}
      </InlineStack>
      {choosing === 'file' && (
        <FileFilter
          onClose={close}
          onChoose={(chosen) => {
            close()
            go({ file: chosen })
          }}
        />
      )}
      {choosing === 'product' && (
        <ProductFilter
          onClose={close}
          onChoose={({ product_id, title }) => {
            close()
            go({ product: product_id, about: title })
          }}
        />
      )}
    </Box>
  )
}
