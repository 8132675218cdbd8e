// The button that chooses the columns of the list.
import { lazy, Suspense, useState } from 'react'
import { Box, Button, ColumnsIcon, Popover, Spinner } from '../../shell/ui/index.ts'
import { type ListColumn } from './columns.ts'
import { t } from '../../shell/messages/t.ts'

const ColumnsChoice = lazy(async () => ({
  default: (await import('./columns-choice.tsx')).ColumnsChoice,
}))

interface Props {
  columns: readonly ListColumn[]
  onChange: (columns: readonly ListColumn[]) => void
}

export function ColumnsButton({ columns, onChange }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <div style={{ paddingInlineStart: 'var(--p-space-200)' }}>
      <Popover
        active={open}
        onClose={() => setOpen(false)}
        preferredAlignment="right"
        activator={
          <Button
            icon={ColumnsIcon}
            accessibilityLabel={t('Columns of the list')}
            onClick={() => setOpen(!open)}
          />
        }
      >
        <Box padding="400">
          <Suspense
            fallback={
              <Spinner
                size="small"
                accessibilityLabel={t('Loading {what}', { what: t('Columns') })}
              />
            }
          >
            <ColumnsChoice columns={columns} onChange={onChange} />
          </Suspense>
        </Box>
      </Popover>
    </div>
  )
}
