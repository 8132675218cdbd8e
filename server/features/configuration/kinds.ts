// The kinds of documents, in the order in which they are saved: what others name comes first.
import { scheduleKind, workflowKind } from './workflow-kind.ts'
import type { DocumentKind } from './kind.ts'
import {
  csvMappingKind,
  dropKind,
  mailKind,
  mailTextsKind,
  rulesKind,
  tagTemplateKind,
} from './setting-kinds.ts'

export const KINDS: readonly DocumentKind[] = [
  dropKind,
  mailKind,
  mailTextsKind,
  tagTemplateKind,
  csvMappingKind,
  rulesKind,
  workflowKind,
  scheduleKind,
]
