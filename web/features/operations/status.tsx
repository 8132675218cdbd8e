// A state as a badge, and an operation's progress as a bar with its figures.
import { useId } from 'react'
import { isMoving } from './calls.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Badge, SmallPrint } from '../../shell/ui/index.ts'
import { awaitsFiles, receivedTexts, workedCount } from './labels.ts'
import { type StatusWord } from './operation-status.ts'
import { remainingText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

export function StatusBadge({ word }: { word: StatusWord }) {
  return (
    <Badge tone={word.tone} progress={word.progress}>
      {word.text}
    </Badge>
  )
}

const PARTS = ['done', 'failed', 'skipped', 'cancelled'] as const

/** `wide`: the page about this operation, which shows the time left on a separate line. */
export function Progress({ operation, wide = false }: { operation: Operation; wide?: boolean }) {
  const label = useId()
  const moving = isMoving(operation)
  const texts = awaitsFiles(operation) ? receivedTexts(operation) : countedTexts(operation, wide)
  return (
    <div className="progress">
      <div
        className={`bar ${moving ? 'moving' : ''} ${wide ? 'wide' : ''}`}
        role="progressbar"
        aria-valuenow={Math.floor(operation.percentage)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-labelledby={label}
      >
        {PARTS.map((part) => (
          <span
            key={part}
            className={part}
            style={{ inlineSize: `${share(operation[part], operation.total)}%` }}
          />
        ))}
      </div>
      <SmallPrint>
        <span id={label} className="tabular">
          {texts.join(' · ')}
        </span>
      </SmallPrint>
    </div>
  )
}

function countedTexts(operation: Operation, wide: boolean): string[] {
  const moving = isMoving(operation)
  const texts = [
    t('{done, number} of {total, number}', {
      done: workedCount(operation),
      total: operation.total,
    }),
  ]
  if (moving || operation.status === 'paused') texts.push(`${Math.floor(operation.percentage)}%`)
  if (moving && !wide && operation.remaining_seconds !== null)
    texts.push(remainingText(operation.remaining_seconds))
  return texts
}

/** The share in hundredths, rounded up so that a few failures among very many stay visible. */
const share = (count: number, total: number): number =>
  count === 0 ? 0 : Math.max(0.5, (count / total) * 100)
