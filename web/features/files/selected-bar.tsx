// The selected files in words, above the list: how many, and a button that selects those of all pages.
import { SelectionBar, type SelectionMenu } from '../../shell/components/selection-bar.tsx'
import { type FileSelection } from './selection.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  selection: FileSelection
  shown: number
  total: number
  /** False: there are more. */
  isExact: boolean
  menu: SelectionMenu
  narrow: boolean
  /** It covers the headings of the table. */
  overHeadings: boolean
  /** Ticks all files of this page, or none if they are ticked. */
  onPage: () => void
}

export function SelectedBar(props: Props) {
  const { selection, shown, total, isExact, menu, narrow, overHeadings, onPage } = props
  const { count, all, click } = selection
  const whole = selection.onPage === shown
  const hasMore = total > shown
  return (
    <SelectionBar
      count={count}
      menu={menu}
      narrow={narrow}
      overHeadings={overHeadings}
      onPage={onPage}
      text={
        all && hasMore && !narrow
          ? t('All {total, plural, one {# file} other {# files}} selected', { total: count })
          : t('{count, number} selected', { count })
      }
      page={selection.onPage === 0 ? false : whole ? true : 'indeterminate'}
      wider={
        hasMore && (whole || !narrow)
          ? {
              content: all ? t('Only this page') : allText(total, isExact),
              onAction: () => click(all ? { kind: 'page', on: true } : { kind: 'all' }),
            }
          : null
      }
    />
  )
}

const allText = (total: number, isExact: boolean): string =>
  isExact
    ? t('Select all {total, plural, one {# file} other {# files}}', { total })
    : t('Select all files, more than {total, number}', { total })
