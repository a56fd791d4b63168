-- wiki_pages(files)
--
-- Reads the pages of MediaWiki dumps (.xml, .xml.bz2, .xml.gz; with one bz2 stream or several, which may end anywhere
-- in the XML) in parallel byte ranges. It is equivalent to CREATE EXTERNAL TABLE … STORED AS WIKIDUMP.
--
-- Parameters
--   files
--   namespaces: constant = '0' | a namespace number, several with commas, or 'all'
--   redirects: boolean = false | whether redirects are rows; with 'all' revisions, a revision is a redirect by its own text
--   revisions: one of latest|all = 'latest' | 'latest': one row per page; 'all': one row per revision
--   on_error
--   max_page_bytes: constant = '64 MiB' | maximum size of a revision; a larger one is handled by on_error
--   language: language | the language of every row, instead of that of the dump's header
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
--   timestamp: Timestamp (µs, UTC) | when the revision was saved
--   contributor: text | user name or address; NULL if deleted
--   model: text | content model, such as wikitext
--   wikitext: text | the source text; NULL if deleted
-- Guarantees
--   The rows do not depend on the container, the byte ranges or the number of partitions.
--   Only the requested columns are decoded, and LIMIT ends reading early.
--   Dumps of different wikis in one call are an error.
-- Example
--   SELECT kind, count(*) AS pages
--   FROM wiki_pages('datasets/sample/samplewiki-pages-articles.xml.bz2')
--   GROUP BY kind ORDER BY kind
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
