-- wiki_pages(files)
--
-- The pages of MediaWiki dumps (.xml, .xml.bz2, .xml.gz; one stream, multistream, or cut anywhere), read in
-- parallel ranges. The same as CREATE EXTERNAL TABLE … STORED AS WIKIDUMP.
--
-- Parameters
--   files: text | a path or glob, or several, one a line
--   namespaces: constant = '0' | a namespace number, several with commas, or 'all'
--   redirects: boolean = false | whether redirects are rows
--   revisions: one of latest|all = 'latest' | one row a page, or one row a revision
--   on_error: one of fail|skip = 'fail' | where a dump is damaged: an error with file and offset, or leave out what cannot be read
--   max_page_bytes: constant = '64 MiB' | largest revision; a larger one is an error, or left out
--   language: text | the language of every row, instead of what the dump's header says
-- Columns
--   wiki: text | database name of the wiki, such as enwiki
--   language: text | language code
--   page_id: Int64 | id of the page
--   namespace: Int32 | number of the namespace; articles: 0
--   title: text | title with its namespace prefix
--   kind: text | article, redirect, disambiguation, stub or other
--   redirect: text | target of a redirect
--   revision_id: Int64 | id of the revision
--   parent_id: Int64 | id of the revision before it
--   timestamp: Timestamp (µs, UTC) | when it was saved
--   contributor: text | user name or address; NULL where deleted
--   model: text | content model, such as wikitext
--   wikitext: text | the source text; NULL where deleted
-- Guarantees
--   The same rows whatever the container, the number of files' parts or partitions.
--   Only the columns that are asked for are decoded; LIMIT ends the reading early.
--   Dumps of two wikis in one call are an error.
SELECT
  wiki,
  language,
  page_id,
  namespace,
  title,
  kind,
  redirect,
  revision_id,
  parent_id,
  timestamp,
  contributor,
  model,
  wikitext
FROM input
