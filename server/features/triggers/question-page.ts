// The pages behind the link of a question: what would be done with two buttons, and what became of it.
import {
  say,
  sentences,
  textIn,
  type Text,
  type TextLanguage,
} from '../../../plugins/contract/index.ts'
import { openTemplate, renderMessage, type Page, type RenderedPage } from '../downloads/pages.ts'
import { translatorFor } from '../downloads/translate.ts'
import type { QuestionSummary } from './question-summary.ts'

interface QuestionPage extends Page {
  shopName: string
  about: string
  steps: string[]
  filesTitle: string
  counts: { label: string; count: string }[]
  namesTitle: string
  names: readonly string[]
  more: string
  until: string
  approve: string
  reject: string
}

const render = openTemplate<QuestionPage>(new URL('./question.hbs', import.meta.url))

export function renderQuestion(
  language: TextLanguage,
  asked: { shop: string; zone: string; until: Date; summary: QuestionSummary },
): RenderedPage {
  const { summary, until } = asked
  const t = translatorFor(language.locale)
  const write = (text: Text) => textIn(text, language)
  const more = say('and {count, plural, one {# more file} other {# more files}}', {
    count: summary.more,
  })
  return render(
    { t },
    {
      title: write(say('May “{name}” continue?', { name: summary.title })),
      shopName: asked.shop,
      about: write(say('What its next steps would do:')),
      steps: [...summary.steps, ...summary.intentions].map(write),
      filesTitle: write(say('Files')),
      counts: summary.counts.map(({ label, count }) => ({
        label: write(label),
        count: t.number(count),
      })),
      namesTitle: write(say('The first of them')),
      names: summary.names,
      more: summary.more > 0 ? write(more) : '',
      until: write(
        sentences(
          say('Nothing is changed before it is approved.'),
          say('There is time to answer until {until}.', { until: t.moment(until, asked.zone) }),
        ),
      ),
      approve: write(say('Approve')),
      reject: write(say('Reject')),
    },
  )
}

/** A page with a title and a text. */
export function renderState(
  language: TextLanguage,
  { title, text }: { title: Text; text: Text },
): RenderedPage {
  return renderMessage(
    { t: translatorFor(language.locale) },
    { title: textIn(title, language), happened: textIn(text, language) },
  )
}
