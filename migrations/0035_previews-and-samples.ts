// SHA-256 digests of blobs, previews of more types, and samples for the shop front.
import type { Knex } from 'knex'
import {
  buildIndexes,
  expand,
  migrateInSteps,
  validateRows,
} from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'The samples, and which files have one. Checksums are computed again.'

const SAMPLES = `
    -- Null: stored before this column existed; the scrub fills it in.
    alter table blobs add column sha256 bytea,
      add constraint blobs_sha256_check check (length(sha256) = 32) not valid;

    comment on column preview_images.image is
      'WebP. Null: the image, document, audio or video cannot be opened, or has no picture.';

    -- What a shop front shows of a file: pages of a PDF document, or seconds of audio. Null: none.
    alter table files add column sample_pages integer, add column sample_seconds integer,
      add constraint files_sample_pages_check check (sample_pages > 0) not valid,
      add constraint files_sample_seconds_check check (sample_seconds > 0) not valid;

    create table samples (
      shop_id integer not null references shops on delete cascade,
      file_id uuid not null,
      -- The random part of its address.
      token text collate "C" not null unique,
      -- What it was made of: the file's bytes and the length. A sample of others is made again.
      source_hash bytea not null,
      length integer not null,
      -- The sample's own bytes. Null: it could not be made, for this reason.
      hash bytea,
      location text,
      size_bytes bigint,
      content_type text,
      reason text,
      created_at timestamptz not null default now(),
      primary key (shop_id, file_id),
      foreign key (shop_id, file_id) references files on delete cascade,
      foreign key (shop_id, hash, location) references blob_locations (shop_id, hash, location)
    );
    create index samples_blob on samples (shop_id, hash, location) where hash is not null;
`

const INDEXES = {
  // The scrub.
  blobs_without_sha256: 'blobs (shop_id, hash) where sha256 is null',
  files_with_sample: `files (shop_id, id)
    where sample_pages is not null or sample_seconds is not null`,
}

/** @param progress is called with the steps that are done, of all */
export const up = (
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> =>
  migrateInSteps(knex, progress, [
    expand('blobs.sha256', SAMPLES),
    validateRows('blobs'),
    validateRows('files'),
    ...buildIndexes(INDEXES),
  ])

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table samples;
    drop index files_with_sample;
    alter table files drop column sample_seconds, drop column sample_pages;
    drop index blobs_without_sha256;
    alter table blobs drop column sha256;
  `)
}
