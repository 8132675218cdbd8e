// The actions on an operation: their buttons, and the questions that some of them ask first.
import { type ReactNode, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useAct } from './calls.ts'
import { type Operation, type OperationAction } from '../../shell/client/types.ts'
import { usePageChannels } from '../../shell/feature.ts'
import { Text } from '../../shell/ui/index.ts'
import { actionWord } from './operation-action.ts'
import { isPreview } from './operation-status.ts'
import { Question } from '../../shell/components/question.tsx'
import { t } from '../../shell/messages/t.ts'

export interface ActionButton {
  action: OperationAction
  content: string
  destructive: boolean
  loading: boolean
  disabled: boolean
  onAction: () => void
}

interface OperationActions {
  /** The buttons of the actions that are possible now, most likely ones first. */
  buttons: ActionButton[]
  /** The open question, or null. The caller must render it. */
  question: ReactNode
  error: Error | null
}

const ORDER: readonly OperationAction[] = ['confirm', 'resume', 'retry', 'undo', 'pause', 'cancel']
const SAID: Partial<Record<OperationAction, string>> = {
  pause: t('Paused'),
  resume: t('Resumed'),
  retry: t('Started again'),
  undo: t('Undoing'),
}

const cancelledText = (operation: Operation): string =>
  isPreview(operation) ? t('Preview discarded') : t('Cancelled')

/**
 * `onDone` gets the operation's record, for an undo the new operation's. `opened`: this question is
 * asked without a button of the operation.
 */
export function useOperationActions(
  operation: Operation,
  onDone?: (record: Operation, action: OperationAction) => void,
  opened?: { action: OperationAction; onClose: () => void },
): OperationActions {
  const act = useAct()
  const channels = usePageChannels()
  const [asking, setAsking] = useState<OperationAction | null>(opened?.action ?? null)
  const run = (action: OperationAction) =>
    act.mutate(
      { id: operation.id, action },
      {
        onSuccess: (record) => {
          setAsking(null)
          const said = action === 'cancel' ? cancelledText(operation) : SAID[action]
          if (said) toast(said)
          onDone?.(record, action)
        },
      },
    )
  const ask = (action: OperationAction | null) => {
    // An earlier error is about another action.
    act.reset()
    setAsking(action)
  }
  const buttons = ORDER.filter((action) => operation.actions.includes(action)).map((action) => {
    const { text, question } = actionWord(action, operation, channels)
    return {
      action,
      content: text,
      destructive: action === 'cancel',
      loading: act.isPending && act.variables.action === action,
      disabled: act.isPending,
      onAction: () => (question ? ask(action) : run(action)),
    }
  })
  const close = () => {
    ask(null)
    opened?.onClose()
  }
  const question = asking && (
    <ActionQuestion
      operation={operation}
      action={asking}
      act={act}
      onClose={close}
      onAgreed={() => run(asking)}
    />
  )
  return { buttons, question, error: asking ? null : act.error }
}

interface QuestionProps {
  operation: Operation
  action: OperationAction
  act: ReturnType<typeof useAct>
  onClose: () => void
  onAgreed: () => void
}

function ActionQuestion({ operation, action, act, onClose, onAgreed }: QuestionProps) {
  // The question keeps the operation of the moment when it was asked: progress must not change or
  // close it.
  const channels = usePageChannels()
  const [question] = useState(() => actionWord(action, operation, channels).question!)
  return (
    <Question
      title={question.title}
      onClose={onClose}
      action={{
        content: question.button,
        destructive: question.destructive ?? false,
        loading: act.isPending,
        onAction: onAgreed,
      }}
      back={t('Back')}
      error={act.error}
      problem={t('This could not be done')}
    >
      {question.text.map((text) => (
        <Text key={text} as="p">
          {text}
        </Text>
      ))}
    </Question>
  )
}
