// Below the list: how many rows a page has, and a field to jump to a page by its number.
import { useState } from 'react'
import { call } from '../../shell/client/client.ts'
import { PageTurner } from '../../shell/components/lists.tsx'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { Button, InlineError, Select, Text, TextField } from '../../shell/ui/index.ts'
import { numberText } from '../../shell/labels/size.ts'
import { filesQuery, type FilesUrlState, PAGE_SIZES, rangeText } from './url-state.ts'
import { keepRows } from './kept-rows.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  url: UrlState<FilesUrlState>
  /** The cursor of the next page; null: there is none, or it is unknown yet. */
  next: string | null
  shown: number
  total: number
  /** False: there are more. */
  isExact: boolean
}

const SIZES = [...PAGE_SIZES].sort((a, b) => a - b)

export function ListFoot({ url, next, shown, total, isExact }: Props) {
  const { urlState, go, pages } = url
  const { page, rows } = urlState
  const { jump, problem } = useJump(url)
  // Later pages are reached page by page.
  const last = Math.max(1, Math.ceil(total / rows), isExact ? 1 : page)
  const turner = pages(next)
  // A page that was jumped to: the one before it was never visited.
  const onPrevious = () => void jump(page - 1)
  return (
    <PageTurner
      what={t('files')}
      pages={{ ...turner, onPrevious }}
      label={rangeText(page, shown, total, rows, isExact)}
    >
      {total > (SIZES[0] ?? 0) && (
        <div className="list-foot">
          <Select
            label={t('Rows per page')}
            labelInline
            options={SIZES.map((size) => ({ label: String(size), value: String(size) }))}
            value={String(rows)}
            onChange={(text) => {
              const size = SIZES.find((one) => String(one) === text)
              if (size === undefined) return
              keepRows(size)
              go({ rows: size })
            }}
          />
          {last > 1 && (
            <PageField key={page} page={page} last={last} isExact={isExact} onJump={jump} />
          )}
          {problem && <InlineError message={problem} fieldID="page-field" />}
        </div>
      )}
    </PageTurner>
  )
}

function useJump({ urlState, turn, known }: Props['url']) {
  const [problem, setProblem] = useState<string | null>(null)
  const jump = async (page: number): Promise<void> => {
    setProblem(null)
    if (page <= 1) return turn(1, '')
    const cursor = known(page)
    if (cursor !== '') return turn(page, cursor)
    try {
      const offset = (page - 1) * urlState.rows - 1
      const query = { ...filesQuery({ ...urlState, cursor: '' }), offset, limit: 1 }
      const { next_cursor } = await call('GET /api/files', { query })
      // The list has become shorter meanwhile.
      if (next_cursor === null) setProblem(t('There is no page {page} any more', { page }))
      else turn(page, next_cursor)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      setProblem(t('The page could not be opened: {message}', { message: error.message }))
    }
  }
  return { jump, problem }
}

interface FieldProps {
  page: number
  last: number
  isExact: boolean
  onJump: (page: number) => Promise<void>
}

function PageField({ page, last, isExact, onJump }: FieldProps) {
  const [text, setText] = useState(String(page))
  const [going, setGoing] = useState(false)
  const wanted = Number(text)
  const fits = Number.isSafeInteger(wanted) && wanted >= 1 && wanted <= last
  const submit = async () => {
    if (!fits || wanted === page || going) return
    setGoing(true)
    await onJump(wanted)
    setGoing(false)
    window.scrollTo({ top: 0 })
  }
  return (
    <form
      className="page-field"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <TextField
        id="page-field"
        label={t('Page')}
        labelHidden
        type="number"
        min={1}
        max={last}
        prefix={t('Page')}
        error={!fits}
        value={text}
        onChange={setText}
      />
      <Text as="span" tone="subdued">
        {t('of {pages}', { pages: isExact ? numberText(last) : `${numberText(last)}+` })}
      </Text>
      {text !== String(page) && (
        <Button submit disabled={!fits} loading={going}>
          {t('Go')}
        </Button>
      )}
    </form>
  )
}
