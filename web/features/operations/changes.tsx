// A file's changes, one in each line: before, and after or planned.
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'
import { type Change } from './change.ts'

export function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={change.what}>
          <Line {...change} />
        </li>
      ))}
    </ul>
  )
}

function Line({ what, before, after }: Change) {
  if (after === null) return <>{what}</>
  return (
    <>
      <span className="what">{what}: </span>
      {before !== null && (
        <>
          <span className="was">{before}</span>
          <span aria-hidden="true"> → </span>
          <Text as="span" visuallyHidden>
            {`${t('to')} `}
          </Text>
        </>
      )}
      <Text as="span" fontWeight="medium" breakWord>
        {after}
      </Text>
    </>
  )
}
