// The button in a file's history that undoes an operation. The question names what it undoes: all
// files of the operation, not only this one.
import { useState } from 'react'
import { type Operation } from '../../shell/client/types.ts'
import { SmallError } from '../../shell/components/small-error.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { t } from '../../shell/messages/t.ts'
import { Button, Text } from '../../shell/ui/index.ts'
import { useOperation } from '../operations/calls.ts'
import { useOperationActions } from '../operations/operation-actions.tsx'

interface Props {
  id: string
  title: string
  /** How many files the operation changed. */
  files: number
  onUndone: (operation: Operation) => void
}

export function UndoEntry({ id, title, files, onUndone }: Props) {
  const [asked, setAsked] = useState(false)
  const operation = useOperation(asked ? id : null)
  const undo =
    files > 1 ? t('Undo for {files, plural, one {# file} other {# files}}', { files }) : t('Undo')
  return (
    <>
      <Button
        variant="plain"
        loading={asked && operation.isPending}
        onClick={() => setAsked(true)}
        accessibilityLabel={actionName(undo, title)}
      >
        {undo}
      </Button>
      {asked && <SmallError error={operation.error} />}
      {asked && operation.data && (
        <AskUndo
          operation={operation.data}
          onUndone={(undo) => {
            setAsked(false)
            onUndone(undo)
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

interface AskProps extends Pick<Props, 'onUndone'> {
  operation: Operation
  onClose: () => void
}

function AskUndo({ operation, onUndone, onClose }: AskProps) {
  // It was undone or its time ended after the history was read.
  const possible = operation.actions.includes('undo')
  const { question } = useOperationActions(operation, onUndone, { action: 'undo', onClose })
  return possible ? (
    question
  ) : (
    <Text as="p" tone="critical">
      {t('This operation can no longer be undone.')}
    </Text>
  )
}
