// What was decided last, with its undo: of an operation that maps files, or of rejected reviews. It
// does not take the focus, so that the next review can be decided.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { useStable } from '../../shell/components/use-stable.ts'
import { Button, Card, CloseIcon, Text } from '../../shell/ui/index.ts'
import { hasEnded, isMoving, useAct, useOperation } from '../operations/calls.ts'
import { useReopen } from './calls.ts'

export interface Decision {
  text: string
  undo:
    /** The operations that the decision has started. */
    | { kind: 'operations'; ids: readonly string[] }
    /** The ids of rejected reviews. */
    | { kind: 'reviews'; ids: string[] }
    | { kind: 'call'; run: () => Promise<unknown> }
}

interface Props {
  decision: Decision
  onClose: () => void
}

/** The bar of a decision; its key must differ from one decision to the next. */
export function DecisionBar({ decision: { text, undo }, onClose }: Props) {
  const [error, setError] = useState<Error | null>(null)
  return (
    <div className="decision-bar">
      <Card>
        <div className="operation-toast-row">
          <div className="operation-toast-text" role="status">
            <Text as="span" fontWeight="medium" breakWord>
              {text}
            </Text>
          </div>
          <span data-undo>
            <UndoButton undo={undo} onDone={onClose} onError={setError} />
          </span>
          <Button
            icon={CloseIcon}
            variant="tertiary"
            accessibilityLabel={t('Dismiss')}
            onClick={onClose}
          />
        </div>
        {error && <Problem error={error} what={t('This could not be undone')} />}
      </Card>
    </div>
  )
}

interface UndoProps<Undo extends Decision['undo'] = Decision['undo']> {
  undo: Undo
  onDone: () => void
  onError: (error: Error) => void
}

function UndoButton({ undo, ...rest }: UndoProps) {
  // Others may have decided all of it before.
  if (undo.kind === 'operations' && undo.ids.length === 0) return null
  if (undo.kind === 'operations') return <UndoOperations undo={undo} {...rest} />
  if (undo.kind === 'reviews') return <UndoReviews undo={undo} {...rest} />
  return <UndoCall undo={undo} {...rest} />
}

/** An operation can be undone when it has ended; its undo is an operation too. */
function UndoOperation({ id: own, onDone, onError }: Omit<UndoProps, 'undo'> & { id: string }) {
  const client = useQueryClient()
  const [undoing, setUndoing] = useState<string | null>(null)
  const read = useOperation(undoing ?? own)
  const operation = read.data
  const act = useAct()
  const ended = operation !== undefined && hasEnded(operation)
  const waits = operation ? isMoving(operation) : read.isPending
  const isUndone = undoing !== null && operation?.id === undoing && ended
  const isWhole = operation?.status === 'success'
  const done = useStable(onDone)
  const fail = useStable(onError)
  useEffect(() => {
    if (!ended) return
    for (const key of ['reviews', 'files', 'file', 'activity'])
      void client.invalidateQueries({ queryKey: [key] })
    if (!isUndone) return
    if (isWhole) done()
    else fail(new Error(t('Not all files could be undone: look at the operation’s details')))
  }, [client, ended, isUndone, isWhole, done, fail])
  return (
    <Button
      disabled={undoing === null ? !waits && !operation?.actions.includes('undo') : isUndone}
      loading={act.isPending || (undoing === null ? waits : !isUndone)}
      onClick={() =>
        act.mutate({ id: own, action: 'undo' }, { onSuccess: ({ id }) => setUndoing(id), onError })
      }
    >
      {t('Undo')}
    </Button>
  )
}

/** One after another, each with its button: the bar is closed when all are undone. */
function UndoOperations({
  undo: { ids },
  onDone,
  onError,
}: UndoProps<{ kind: 'operations'; ids: readonly string[] }>) {
  const [at, setAt] = useState(0)
  const id = ids[at] ?? ''
  const next = () => (at + 1 < ids.length ? setAt(at + 1) : onDone())
  return (
    <>
      {ids.length > 1 && (
        <Text as="span">{t('{at} of {count}', { at: at + 1, count: ids.length })}</Text>
      )}
      <UndoOperation key={id} id={id} onDone={next} onError={onError} />
    </>
  )
}

function UndoReviews({ undo, onDone, onError }: UndoProps<{ kind: 'reviews'; ids: string[] }>) {
  const reopen = useReopen()
  return (
    <Button
      loading={reopen.isPending}
      onClick={() => reopen.mutate(undo.ids, { onSuccess: onDone, onError })}
    >
      {t('Undo')}
    </Button>
  )
}

function UndoCall({
  undo,
  onDone,
  onError,
}: UndoProps<Extract<Decision['undo'], { kind: 'call' }>>) {
  const [running, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    try {
      await undo.run()
      onDone()
    } catch (error) {
      onError(error as Error)
    }
    setRunning(false)
  }
  return (
    <Button loading={running} onClick={() => void run()}>
      {t('Undo')}
    </Button>
  )
}
