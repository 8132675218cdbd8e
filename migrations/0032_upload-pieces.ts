// Uploads of browsers in the bucket: each row is an object with some of an upload's bytes.
import type { Knex } from 'knex'

export const undo =
  'Uploads that were not finished, if their bytes are in the bucket: they are started again.'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The bytes of an upload in the bucket, in order and without gaps. Objects that no row names do
    -- not count: their process lost the race for the offset, or died before it wrote the row.
    create table upload_pieces (
      shop_id integer not null,
      upload_id uuid not null,
      -- The offset in the upload at which the piece begins.
      first_byte bigint not null,
      size_bytes bigint not null check (size_bytes > 0),
      -- The name of the object, below that of the upload.
      name uuid not null,
      primary key (shop_id, upload_id, first_byte),
      foreign key (shop_id, upload_id) references uploads on delete cascade
    )
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table upload_pieces')
}
