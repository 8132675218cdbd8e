// The first rows as the import will read them; refused cells show the reason.
import { CSV_FIELDS, type CsvUpload } from './calls.ts'
import { Box, Card, Heading } from '../../shell/ui/index.ts'
import { CSV_FIELDS_TEXT } from './labels.ts'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'

type Row = CsvUpload['preview'][number]

export function Preview({ upload: { mapping, preview, rows } }: { upload: CsvUpload }) {
  const fields = CSV_FIELDS.filter((field) => mapping[field] !== null)
  if (fields.length === 0) return null
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>
          {preview.length < rows
            ? t('The first {count, plural, one {# row} other {# rows}}', { count: preview.length })
            : t('All rows')}
        </Heading>
      </Box>
      {/* It scrolls sideways, so it must be reachable by keyboard. */}
      <div className="sheet" tabIndex={0} role="region" aria-label={t('Preview')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Row')}</th>
              {fields.map((field) => (
                <th key={field} scope="col">
                  {CSV_FIELDS_TEXT[field].label}
                  <span className="from">{mapping[field]}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.map((row) => (
              <tr key={row.row}>
                <td>
                  {row.row}
                  <Objection row={row} column={null} />
                </td>
                {fields.map((field) => (
                  <td key={field}>
                    <span className="cell" title={row.values[field] ?? undefined}>
                      {row.values[field] ?? ''}
                    </span>
                    <Objection row={row} column={mapping[field]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

/** The problem of a cell, or of the row if no column is named. */
function Objection({ row, column }: { row: Row; column: string | null }) {
  return row.problems
    .filter((problem) => problem.column === column)
    .map((problem) => (
      <span key={problem.code} className={`objection ${problem.severity}`}>
        {detailText(problem) ?? messageText(problem)}
      </span>
    ))
}
