-- plain_text
--
-- Step of a job: selects every page of the dumps, with the plain text of those pages whose sentences are compared.
SELECT
  wiki,
  language,
  page_id,
  namespace,
  title,
  kind,
  redirect,
  revision_id,
  timestamp,
  CASE
    WHEN namespace = 0 AND kind IN ('article', 'stub') THEN wikitext_to_plain(wikitext, language)
  END AS text
FROM dump
